"""How fast the oracle reads a prompt, on one core.

    python bench/oracle.py [--megabytes 4] [--repeat 5]

Two prompts of the size asked: one whose distractors are prose and code, one of paper blocks alone (the
slowest: every character belongs to a block). Beside `solve` stand the same prompt read by a loop over its
lines with a regular expression, as a user would write it, and one `tiktoken` encoding, what a token recount
costs. All in one run; MB are 10^6 bytes of UTF-8.
"""

import argparse
import random
import re
import time
from collections.abc import Callable

import networkx as nx
import tiktoken

from graphniah_inspect.citations.paper import Paper
from graphniah_inspect.citations.text import Question, render_block, render_distractor, render_prompt
from graphniah_inspect.oracle import solve

# fmt: off
WORDS = [
    "of", "graph", "deep", "the", "search", "citation", "method", "for", "learning", "on", "a",
    "study", "review", "model", "new", "large", "theory", "in", "proteins",
]
# fmt: on
CODE = "static int f%d(struct s *p)\n{\n\tif (!p)\n\t\treturn -EINVAL;\n\n\treturn p->n; /* “Title” */\n}\n\n"


def papers(count: int, rng: random.Random) -> list[Paper]:
    return [
        Paper(
            number,
            " ".join(rng.choices(WORDS, k=rng.randint(5, 14))).capitalize() + f" {number}",
            tuple(
                f"{rng.choice('ABCDE')}na {rng.choice('FGH')}. Fam{rng.randint(0, 9999)}"
                for _ in range(rng.randint(1, 9))
            ),
            rng.randint(1990, 2026),
            venue="Journal of Invented Results",
            volume=str(rng.randint(1, 90)),
            doi=f"10.1234/{number}",
        )
        for number in range(count)
    ]


def tree_blocks(members: list[Paper], rng: random.Random) -> list[str]:
    """Blocks of a random tree over these papers, each edge a citation in a random direction."""
    cited: dict[int, list[Paper]] = {}
    for number in range(1, len(members)):
        other = rng.randrange(max(0, number - 20), number)
        one, two = (number, other) if rng.random() < 0.5 else (other, number)
        cited.setdefault(one, []).append(members[two])
    return [render_block(members[number], references) for number, references in cited.items()]


def prompts(size: int, rng: random.Random) -> dict[str, str]:
    needles = papers(700, rng)
    question = Question("yes-no", needles[0].title, needles[174].title)
    blocks = [block for start in range(0, 700, 175) for block in tree_blocks(needles[start : start + 175], rng)]
    prose = list(blocks)
    length = sum(map(len, prose))
    while length < size:
        text = " ".join(rng.choices(WORDS, k=900)) if rng.random() < 0.5 else "".join(CODE % i for i in range(60))
        prose.append(render_distractor(text))
        length += len(prose[-1])
    trees = list(blocks)
    more = papers(size // 450, rng)
    for start in range(0, len(more), 175):
        members = [
            Paper(p.corpus_id, f"{p.title} again", p.authors, p.year, p.venue) for p in more[start : start + 175]
        ]
        trees += tree_blocks(members, rng)
    rng.shuffle(prose)
    rng.shuffle(trees)
    return {"prose and code": render_prompt(question, prose), "papers alone": render_prompt(question, trees)}


def by_lines(prompt: str) -> bool:
    """What a user would write: a loop over lines, a regular expression on each, the same graph."""
    graph: nx.Graph[str] = nx.Graph()
    title = ""
    marked = re.compile("“(.+?)”")
    source, target = marked.findall(prompt[:2000])[:2]
    for line in prompt.splitlines():
        if match := marked.search(line):
            if line.startswith("Title: "):
                title = match[1]
            elif line.startswith("- "):
                graph.add_edge(title, match[1])
    return bool(nx.has_path(graph, source, target))


def seconds(function: Callable[[], object], repeat: int) -> float:
    """Best of so many runs."""
    taken = []
    for _ in range(repeat):
        begun = time.perf_counter()
        function()
        taken.append(time.perf_counter() - begun)
    return min(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast the oracle reads a prompt, on one core.")
    parser.add_argument("--megabytes", type=float, default=4.0, help="size of a prompt (default: 4)")
    parser.add_argument("--repeat", type=int, default=5, help="best of so many runs (default: 5)")
    arguments = parser.parse_args()
    encoding = tiktoken.get_encoding("o200k_base")
    print(f"{'prompt':16} {'MB':>6} {'oracle MB/s':>12} {'by lines MB/s':>14} {'tokens MB/s':>12} {'oracle/lines':>13}")
    for name, prompt in prompts(int(arguments.megabytes * 1e6), random.Random(1)).items():
        size = len(prompt.encode()) / 1e6
        if (solve(prompt).answer == "YES") != by_lines(prompt):
            raise SystemExit(f"{name}: the two ways disagree, so their times mean nothing")
        oracle = seconds(lambda prompt=prompt: solve(prompt), arguments.repeat)  # type: ignore[misc]
        lines = seconds(lambda prompt=prompt: by_lines(prompt), arguments.repeat)  # type: ignore[misc]
        tokens = seconds(lambda prompt=prompt: encoding.encode_ordinary(prompt), 1)  # type: ignore[misc]
        rates = f"{size / oracle:12.0f} {size / lines:14.0f} {size / tokens:12.1f} {oracle / lines:13.2f}"
        print(f"{name:16} {size:6.1f} {rates}")


if __name__ == "__main__":
    main()
