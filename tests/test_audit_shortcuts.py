"""The test for shortcuts: planted leaks are found and named, sound data and noise are not accused."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score

from graphniah_inspect.audit import shortcuts
from graphniah_inspect.audit.auc import mean_auc, permuted, ranks
from graphniah_inspect.audit.example import Options
from graphniah_inspect.audit.features import FEATURES, PairFeatures
from graphniah_inspect.audit.run import audit_file
from graphniah_inspect.audit.shortcuts import find_shortcuts
from graphniah_inspect.citations.parse import read_prompt
from graphniah_inspect.oracle import citation_graph
from tests.planted import Leak, example, lines

EXAMPLES = 60
FORMATS = ("yes-no", "multiple-choice")
NAMED = {
    "topic": {"word overlap", "TF-IDF similarity"},
    "year": {"year gap"},
    "position": {"t after s by", "position of t", "distance s to t"},
    "length": {"prompt length", "title length of t"},
    "order": {"place of t in lists"},
}


@pytest.fixture(autouse=True)
def fewer_permutations(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fewest with which a p-value can reach the level."""
    monkeypatch.setattr(shortcuts, "MODEL_PERMUTATIONS", 199)
    monkeypatch.setattr(shortcuts, "FEATURE_PERMUTATIONS", 999)
    monkeypatch.setattr(shortcuts, "RESAMPLES", 30)


@pytest.mark.parametrize("leak", NAMED)
def test_a_planted_leak_is_found_and_named(tmp_path: Path, leak: Leak) -> None:
    path = tmp_path / "leaking.jsonl"
    path.write_bytes(lines([example(i, kind, leak) for i in range(EXAMPLES) for kind in FORMATS]))
    report = audit_file("leaking", path, Options(recount=False), progress=False)
    assert report.findings == (), "nothing but the shortcut is wrong"
    assert report.wrong
    for verdict in report.shortcuts:
        assert verdict.found == "a shortcut", str(verdict)
        assert verdict.examples == EXAMPLES
        assert verdict.strongest in NAMED[leak], str(verdict)
        assert verdict.auc is not None
        assert verdict.low is not None
        assert verdict.high is not None
        assert 0.5 < verdict.low <= verdict.auc <= verdict.high
        assert "SHORTCUT" in str(verdict)


def test_sound_data_is_not_accused(tmp_path: Path) -> None:
    path = tmp_path / "sound.jsonl"
    path.write_bytes(lines([example(i, kind) for i in range(EXAMPLES) for kind in FORMATS]))
    report = audit_file("sound", path, Options(recount=False), progress=False)
    assert not report.wrong
    for verdict in report.shortcuts:
        assert verdict.found == "nothing", str(verdict)
        assert verdict.auc is not None
        assert verdict.auc < 0.65


@pytest.mark.parametrize("options", [1, 4])
@pytest.mark.parametrize(("tested", "sets"), [("feature", 200), ("model", 40)])
def test_noise_is_rarely_called_a_shortcut(
    monkeypatch: pytest.MonkeyPatch, options: int, tested: str, sets: int
) -> None:
    """Either test alone accuses at most half the level of noise, here 10 % of it; its tails are heavy."""
    monkeypatch.setattr(shortcuts, "LEVEL", 0.2)
    monkeypatch.setattr(shortcuts, "MODEL_PERMUTATIONS", 19)
    monkeypatch.setattr(shortcuts, "FEATURE_PERMUTATIONS", 39)
    monkeypatch.setattr(shortcuts, "RESAMPLES", 2)
    if tested == "model":
        monkeypatch.setattr(shortcuts, "_p_strongest", lambda *_: 1.0)
    else:
        monkeypatch.setattr(shortcuts, "_p_model", lambda *_: 1.0)
    rng = np.random.default_rng(5)
    accused = 0
    for number in range(sets):
        features = rng.standard_t(2, (48 * options, len(FEATURES)))
        questions = np.repeat(np.arange(48), options) if options > 1 else None
        labels = np.tile([1, 0, 0, 0], 48) if options > 1 else rng.permutation(48) % 2
        accused += find_shortcuts("noise", features, labels, questions, seed=number).found != "nothing"
    assert 0 < accused <= sets * 0.1 + 3 * math.sqrt(sets * 0.1 * 0.9)


def test_a_weak_shortcut_is_seen_in_many_examples() -> None:
    """AUC 0.62, that of title similarity when backbones are drawn independently, in 500 examples."""
    rng = np.random.default_rng(6)
    labels = np.arange(500) % 2
    features = rng.normal(size=(500, len(FEATURES)))
    similarity = FEATURES.index("TF-IDF similarity")
    features[:, similarity] += 0.43 * labels
    verdict = find_shortcuts("yes-no", features, labels)
    assert verdict.strongest == "TF-IDF similarity"
    assert verdict.strongest_auc == pytest.approx(0.62, abs=0.03)
    assert verdict.found == "a shortcut"


def test_what_is_proven_but_of_no_use_is_a_trace() -> None:
    rng = np.random.default_rng(6)
    labels = np.arange(2400) % 2
    features = rng.normal(size=(2400, len(FEATURES)))
    features[:, FEATURES.index("year gap")] += 0.2 * labels
    verdict = find_shortcuts("yes-no", features, labels)
    assert (verdict.found, verdict.strongest) == ("a trace", "year gap")
    assert "too weak to be of use" in str(verdict)


def test_only_differences_within_a_question_count() -> None:
    rng = np.random.default_rng(10)
    right = np.tile([0, 1, 0, 0], 60)
    features = rng.normal(size=(240, len(FEATURES)))
    features[:, FEATURES.index("year of t")] = right * 0.1 + 100 * np.repeat(rng.normal(size=60), 4)
    verdict = find_shortcuts("multiple-choice", features, right, np.repeat(np.arange(60), 4))
    assert verdict.auc == pytest.approx(1.0)


def test_too_few_examples_are_said_to_be_too_few() -> None:
    verdict = find_shortcuts("yes-no", np.zeros((30, len(FEATURES))), np.arange(30) % 2)
    assert (verdict.auc, verdict.found) == (None, "too few examples")
    assert "too few to tell" in str(verdict)


def test_a_missing_value_may_be_the_leak() -> None:
    rng = np.random.default_rng(7)
    labels = np.arange(60) % 2
    features = rng.normal(size=(60, len(FEATURES)))
    features[labels == 1, FEATURES.index("year of t")] = np.nan
    assert find_shortcuts("yes-no", features, labels).strongest == "year of t not stated"


def test_auc_within_strata_equals_scikit_learn() -> None:
    rng = np.random.default_rng(8)
    scores = rng.integers(0, 6, 90).astype(float)
    labels = rng.integers(0, 2, 90)
    strata = rng.permutation(np.repeat(np.arange(6), 15))
    labels[strata == 5] = 1  # says nothing, and counts for nothing
    each = [roc_auc_score(labels[strata == s], scores[strata == s]) for s in range(5)]
    assert mean_auc(scores, labels, strata) == pytest.approx(np.mean(each))
    for s in range(6):
        assert ranks(scores, strata)[strata == s] == pytest.approx(rankdata(scores[strata == s]))


def test_labels_are_permuted_within_strata() -> None:
    strata = np.array([0, 1, 0, 1, 0, 1, 2, 2])
    labels = np.array([1, 0, 0, 0, 0, 1, 1, 0])
    rng = np.random.default_rng(9)
    drawn = np.stack([permuted(labels, strata, rng) for _ in range(400)])
    assert (np.stack([drawn[:, strata == s].sum(axis=1) for s in range(3)]) == 1).all()
    assert drawn.mean(axis=0) == pytest.approx([1 / 3] * 6 + [1 / 2] * 2, abs=0.1)


def test_features_by_hand() -> None:
    row = example(0, "yes-no")
    text = row["user_prompt"]
    prompt = read_prompt(text)
    question = prompt.question
    assert question.target is not None
    found = dict(zip(FEATURES, PairFeatures(text, prompt, citation_graph(prompt)).of(question.target), strict=True))
    mentions = text.count(f"“{question.target}”") - 1  # the question names it once more
    own = f"### Document\nTitle: “{question.target}”" in text
    assert found["degree of t"] >= mentions - own
    assert found["references of t"] == (
        text.split(f"Title: “{question.target}”")[1].split("###")[0].count("\n- ") if own else 0
    )
    lined = next(line for line in text.split("\n") if line.startswith("- ") and f"“{question.target}”" in line)
    lists = [block.references for block in prompt.blocks if question.target in block.references]
    places = [held.index(question.target) / (len(held) - 1) if len(held) > 1 else 0.5 for held in lists]
    assert found["place of t in lists"] == pytest.approx(sum(places) / len(places))
    assert 0 < found["place of t in lists"] != 0.5
    assert found["year of t"] == int(lined.split("(")[1][:4])
    assert found["t younger by"] == found["year of t"] - found["year of s"]
    assert found["year gap"] == abs(found["t younger by"])
    assert found["title length of s"] == len(question.source)
    assert found["prompt length"] == len(text)
    words = [set(title.lower().split()) for title in (question.source, question.target)]
    assert found["word overlap"] == len(words[0] & words[1]) / len(words[0] | words[1])
    assert 0 < found["position of s"] < 1
    assert found["distance s to t"] == pytest.approx(abs(found["position of s"] - found["position of t"]))
