"""A local HTTP server that speaks enough of OpenAI's chat completions to be evaluated, and to misbehave."""

import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "the-right-key"
MODEL = "openai-api/local/reader"
"""What to evaluate; its requests come here with `LOCAL_API_KEY` and `LOCAL_BASE_URL` set (see `environment`)."""


@dataclass(frozen=True)
class Request:
    """What was asked.

    Attributes:
        number: How many came before it, of all prompts.
        earlier: How many came before it with the same prompt.
        prompt: The user's message.
        model: The model that it names.
    """

    number: int
    earlier: int
    prompt: str
    model: str


@dataclass(frozen=True)
class Reply:
    """What to send back.

    Attributes:
        body: JSON, as a Python object.
        delay: Seconds before the first byte.
        broken: Close the connection in the middle of the body.
    """

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    broken: bool = False


Behaviour = Callable[[Request], Reply]


def answer(text: str | None, finish: str = "stop", *, delay: float = 0.0, refusal: str | None = None) -> Reply:
    """A completion; its usage is too large for any prompt to seem cut."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return completion([{"index": 0, "message": message, "finish_reason": finish}], delay=delay)


def completion(choices: list[dict[str, Any]], *, delay: float = 0.0) -> Reply:
    """A completion with any choices, even none."""
    return Reply(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "reader",
            "choices": choices,
            "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 7, "total_tokens": 1_000_007},
        },
        delay=delay,
    )


def error(status: int, message: str, *, code: str | None = None, type: str = "invalid_request_error") -> Reply:
    """An error in the form that OpenAI-compatible servers use."""
    return Reply({"error": {"message": message, "type": type, "param": None, "code": code}}, status)


def stable_answer(request: Request) -> Reply:
    """YES, NO, or a letter, or a number, by the prompt alone: right for some, and the same in every run."""
    digest = hashlib.sha256(request.prompt.encode("utf-8")).digest()
    return answer(f"\\answer{{{('YES', 'NO', 'A', 'B', '99')[digest[0] % 5]}}}")


class Server:
    """A running server; `asked` counts the requests of each prompt."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.asked: Counter[str] = Counter()
        self.open = self.most_open = 0
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                with outer.lock:
                    outer.open += 1
                    outer.most_open = max(outer.most_open, outer.open)
                try:
                    self.handle_post()
                finally:
                    with outer.lock:
                        outer.open -= 1

            def handle_post(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = outer.reply(self.headers.get("Authorization", ""), body)
                time.sleep(reply.delay)
                payload = json.dumps(reply.body).encode("utf-8")
                self.send_response(reply.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(payload[: len(payload) // 2] if reply.broken else payload)
                self.close_connection = reply.broken

            def log_message(self, *arguments: Any) -> None:
                pass

        class Listener(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 200

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that was killed is no news."""

        self.http = Listener(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def reply(self, authorization: str, body: dict[str, Any]) -> Reply:
        """Check key and model as OpenAI does, then behave."""
        if authorization != f"Bearer {KEY}":
            return error(401, "Incorrect API key provided.", code="invalid_api_key")
        if body["model"] != "reader":
            return error(404, f"The model `{body['model']}` does not exist.", code="model_not_found")
        prompt = body["messages"][-1]["content"]
        with self.lock:
            request = Request(self.asked.total(), self.asked[prompt], prompt, body["model"])
            self.asked[prompt] += 1
        return self.behaviour(request)

    def environment(self, key: str = KEY) -> dict[str, str]:
        """Environment variables that lead `MODEL` here."""
        return {"LOCAL_API_KEY": key, "LOCAL_BASE_URL": self.url}


@contextmanager
def serving(behaviour: Behaviour = stable_answer) -> Iterator[Server]:
    """Serve in a thread until the block ends."""
    server = Server(behaviour)
    thread = threading.Thread(target=server.http.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()
