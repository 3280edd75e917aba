"""The log of a run in Inspect's viewer, in a real browser: what a user sees of the list and of one sample."""

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from inspect_ai import eval

from graphniah_inspect.tasks import graphniah

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: apt-get install chromium)")


@pytest.fixture
def viewer(tmp_path: Path) -> Iterator[str]:
    """Address of a viewer over one log of the bundled sample, that log's name included."""
    logs = tmp_path / "logs"
    log = eval(graphniah(dataset="sample"), model="graphniah/oracle", log_dir=str(logs))[0]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    inspect = Path(sys.executable).with_name("inspect")
    command = [str(inspect), "view", "start", "--log-dir", str(logs), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(300):
                with socket.socket() as client:
                    if client.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}/#/logs/{Path(log.location).name}"
        finally:
            server.terminate()


def test_the_viewer_shows_what_was_asked_and_answered(viewer: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1500, "height": 1000})
        page.goto(viewer)
        page.get_by_text("question-format-0014").first.wait_for(timeout=60_000)
        shown = page.inner_text("body")
        for column in ("id", "input", "target", "answer", "score"):
            assert column in shown.lower()
        assert "Is the target paper reachable" in shown
        assert "question-format-0000" in shown

        page.goto(f"{viewer}/samples/sample/question-format-0000/1")
        page.get_by_text("SCORING").first.click(timeout=60_000)
        page.get_by_text("Read by rule paper from the block").first.wait_for(timeout=60_000)
        sample = page.inner_text("body")
        assert "Source paper: “" in sample
        browser.close()
