"""A whole small build, seen from outside: rows, lists, lengths, graphs, as the construction says."""

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import networkx as nx
import pytest
import tiktoken

from graphniah_inspect.build.backbone import backbone_length
from graphniah_inspect.build.build import build
from graphniah_inspect.build.length import tolerance
from graphniah_inspect.build.prepare import Sources
from graphniah_inspect.build.settings import FORMATS
from graphniah_inspect.citations.paper import title_key
from graphniah_inspect.citations.parse import read_prompt
from graphniah_inspect.errors import UserError
from graphniah_inspect.oracle import citation_graph, solve
from graphniah_inspect.snapshots.snapshot import CITES, Snapshot
from tests.build_world import SMALL, World, built, read_rows, world

__all__ = ["built", "world"]


def test_prompts_hold_trees_as_config_says(built: Path) -> None:
    for row in read_rows(built / "examples.jsonl"):
        config, graph = row["config"], citation_graph(read_prompt(row["user_prompt"]))
        trees = [graph.subgraph(nodes) for nodes in nx.connected_components(graph)]
        assert all(nx.is_tree(tree) for tree in trees)
        assert len(trees) == config["num_components"] + config["num_fill_components"]
        sizes = Counter(len(tree) for tree in trees)
        assert all(sizes[size] for size in config["component_sizes"])
        keys = [title_key(title) for title in graph]
        assert len(keys) == len(set(keys))
        assert (config["num_fill_components"] > 0) == (config["distractor_type"] == "disjoint-tree")


def test_answers_paths_and_sizes_come_from_the_text(built: Path) -> None:
    for row in read_rows(built / "examples.jsonl"):
        verdict, config = solve(row["user_prompt"]), row["config"]
        assert verdict.answer == row["answer"] == config.get("answer_condition", row["answer"])
        assert verdict.component_size == config["component_node_count"]
        if verdict.path:
            assert len(verdict.path) == config["question_depth"]
        if row["question_type"] == "reachability-multiple":
            assert len(verdict.reachable) == 1
            assert [option["label"] for option in row["options"]] == list("ABCDE"[: 4 + config["none_option"]])
        else:
            assert "options" not in row


def test_citations_are_real_and_recent(built: Path, world: World) -> None:
    snapshot = Snapshot.open(world.snapshot)
    for row in read_rows(built / "output/experiments.v1/pool.jsonl"):
        papers = [snapshot.index_of(i) for component in row["component_papers"] for i in component]
        assert len(papers) == len(set(papers))
        assert snapshot.recent[papers].all()
        for component, citations in zip(row["component_papers"], row["citations"], strict=True):
            assert len(citations) == len(component) - 1
            for citing, cited in citations:
                a, b = snapshot.index_of(citing), snapshot.index_of(cited)
                place = list(snapshot.neighbours(a)).index(b) + snapshot.indptr[a]
                assert snapshot.direction[place] & CITES
        for backbone in row["backbones"]:
            assert len(backbone) == backbone_length(row["config"]["question_depth"])
            for one, other in pairwise(backbone):
                assert snapshot.index_of(other) in snapshot.neighbours(snapshot.index_of(one))


def test_lengths_are_exact_and_full(built: Path) -> None:
    encoding = tiktoken.get_encoding("o200k_base")
    rows = read_rows(built / "examples.jsonl")
    for row in rows:
        tokens = sum(len(encoding.encode_ordinary(row[name])) for name in ("system_prompt", "user_prompt"))
        target = row["config"]["context_length"]
        assert row["token_counts"] == {"gpt-5.4": tokens}
        assert 0 <= target - tokens <= tolerance(target)
    assert any("<|endoftext|>" in row["user_prompt"] for row in rows)
    assert not any("int y;" in row["user_prompt"] for row in rows)


def test_positions_point_at_blocks(built: Path) -> None:
    for row in read_rows(built / "examples.jsonl"):
        config, prompt = row["config"], row["user_prompt"]
        source = read_prompt(prompt).question.source
        for name in ("source_position", "target_position", "path_start"):
            if name in config:
                start = round(config[name] * len(prompt))
                assert "### Document\n" in prompt[start - 3 : start + 20], name
        start = round(config["source_position"] * len(prompt))
        assert source in prompt[start : prompt.index("\n\n", start + 5)]
        assert config["path_start"] < config["path_end"] <= 1
        assert ("target_position" in config) == (row["reachability_task"] != "counting")


def test_no_title_occurs_in_other_text(built: Path) -> None:
    for row in read_rows(built / "examples.jsonl"):
        prompt = read_prompt(row["user_prompt"])
        titles = {title_key(title) for title in citation_graph(prompt)}
        blocks = row["user_prompt"].split("### Document\n")[1:]
        text = " ".join(f" {title_key(block)} " for block in blocks if not block.startswith("Title: "))
        assert not any(f" {title} " in text for title in titles)


def test_lists_are_round_robin_and_shared_rows_stand_once(built: Path) -> None:
    rows = read_rows(built / "examples.jsonl")
    assert len({row["qid"] for row in rows}) == len(rows)
    varied: dict[str, tuple[str, list[object]]] = {
        "question-depth": ("question_depth", list(SMALL.depths)),
        "node-count": ("component_node_count", list(SMALL.node_counts)),
        "question-format": ("question_format", list(FORMATS)),
        "distractor-type": ("distractor_type", list(SMALL.distractor_types)),
    }
    lists: dict[tuple[str, int, str], dict[int, dict[str, object]]] = {}
    for row in rows:
        for entry in row["experiments"]:
            slots = lists.setdefault((entry["name"], entry["context_length"], entry["path"]), {})
            assert entry["slot"] not in slots
            slots[entry["slot"]] = row
    assert len(lists) == 7
    for (name, length, path), slots in lists.items():
        assert sorted(slots) == list(range(len(slots)))
        written = read_rows(built / path)
        assert [line["qid"] for line in written] == [slots[slot]["qid"] for slot in range(len(slots))]
        settings = json.loads((built / f"{path}.settings.json").read_text(encoding="utf-8"))
        assert settings["slots"] == len(slots)
        for slot, row in slots.items():
            config = row["config"]
            assert isinstance(config, dict)
            assert config["context_length"] == length
            if name in varied:
                key, values = varied[name]
                assert config[key] == values[slot % len(values)] == written[slot]["value"]


def test_none_variants_differ_by_the_option_alone(built: Path) -> None:
    rows = {row["qid"]: row for row in read_rows(built / "examples.jsonl")}
    converted = [row for row in rows.values() if row["config"]["none_option"]]
    assert len(converted) == SMALL.none_count
    for row in converted:
        source = rows[row["config"]["source_qid"]]
        line = "E. None of these targets is reachable from the source.\n"
        assert row["user_prompt"].count(line) == 1
        assert row["user_prompt"].replace(line, "") == source["user_prompt"]
        assert row["answer"] == source["answer"] != "E"
        assert row["config"]["component_id"] == source["config"]["component_id"]
        assert all(entry["name"].startswith("question-format/none-option/") for entry in row["experiments"])


def test_the_folder_can_be_uploaded(built: Path) -> None:
    manifest = json.loads((built / "manifest.json").read_text(encoding="utf-8"))
    there = {path.relative_to(built).as_posix() for path in built.rglob("*") if path.is_file()}
    assert there == {*manifest["files"], "manifest.json"}
    assert manifest["counts"]["rows"] == len(read_rows(built / "examples.jsonl"))
    card = (built / "README.md").read_text(encoding="utf-8")
    assert "path: examples.jsonl" in card
    assert "GPL-2.0" in card
    assert manifest["pools"]["code"]["left_out"] == {"pieces that hold a block delimiter": 1}


@pytest.mark.parametrize("change", [{"balance": False}, {"seed": 2}, {"equal_sizes": True}, {"any_date_growth": True}])
def test_settings_are_part_of_identity(built: Path, world: World, tmp_path: Path, change: dict[str, object]) -> None:
    settings = replace(SMALL, experiments=("reasoning_effort",), distractor_types=("code",), **change)  # type: ignore[arg-type]
    world.build(tmp_path / "out", settings)
    rows = read_rows(tmp_path / "out" / "examples.jsonl")
    assert not {row["qid"] for row in rows} & {row["qid"] for row in read_rows(built / "examples.jsonl")}
    if "equal_sizes" in change:
        assert all(len(set(row["config"]["component_sizes"])) == 1 for row in rows)


def test_other_tokenizers_are_counted_by_name(world: World, tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.save(str(tmp_path / "tokenizer.json"))
    settings = replace(SMALL, experiments=("reasoning_effort",), distractor_types=("code",))
    named = (("words", str(tmp_path / "tokenizer.json")),)
    build(world.snapshot, tmp_path / "out", settings, Sources(world.prose), tokenizers=named)
    for row in read_rows(tmp_path / "out" / "examples.jsonl"):
        expected = len(row["system_prompt"].split()) + len(row["user_prompt"].split())
        assert row["token_counts"]["words"] == expected
    with pytest.raises(UserError, match="neither a tokenizer"):
        build(
            world.snapshot,
            tmp_path / "o",
            settings,
            Sources(world.prose),
            tokenizers=(("x", str(tmp_path / "none.json")),),
        )
