"""A row's question and answer against what its prompt says, re-derived by the oracle from the text alone."""

from string import ascii_uppercase

from graphniah_inspect.audit.findings import Checks, shown
from graphniah_inspect.citations.parse import ReadPrompt
from graphniah_inspect.citations.text import NONE_LABEL, NONE_OPTION, render_question
from graphniah_inspect.graphniah.rows import Row
from graphniah_inspect.oracle import Verdict

QUESTION_TYPES = {
    "yes-no": "reachability-yesno",
    "multiple-choice": "reachability-multiple",
    "counting": "reachability-counting",
}


def check_fields(row: Row[str], checks: Checks) -> None:
    """Fields that need no prompt: task, type, options and answer fit together."""
    task = row.reachability_task
    if task not in QUESTION_TYPES:
        checks.fault("schema", "reachability_task", task, f"one of {', '.join(QUESTION_TYPES)}")
        return
    checks.made.add("schema")
    config = row.config or {}
    for field, found in (
        ("question_type", row.question_type),
        ("config.question_format", config.get("question_format")),
    ):
        if found is not None:
            checks.equal("schema", field, found, QUESTION_TYPES[task])
    labels = [option.label for option in row.options or ()]
    none_option = config.get("none_option", 0)
    if task == "multiple-choice":
        checks.equal("options", "options", labels, list("ABCDE"[: 5 if none_option else 4]))
        if len({option.text for option in row.options or ()}) != len(labels):
            checks.fault("options", "options", "two with the same text", "distinct texts")
        if none_option and labels[-1:] == [NONE_LABEL]:
            text = (row.options or ())[-1].text
            checks.equal("options", "options[4].text", text, NONE_OPTION)
            if row.answer == NONE_LABEL:
                checks.fault("options", "answer", NONE_LABEL, "never E: one option is always reachable")
        if row.answer not in labels:
            checks.fault("schema", "answer", shown(row.answer), f"one of {', '.join(labels) or 'its options'}")
    else:
        if row.options:
            checks.fault("schema", "options", f"{len(labels)} options", f"none, the task being {task}")
        fine = row.answer in ("YES", "NO") if task == "yes-no" else row.answer.isascii() and row.answer.isdigit()
        if not fine:
            checks.fault("schema", "answer", shown(row.answer), "YES or NO" if task == "yes-no" else "an integer")
    condition = config.get("answer_condition")
    if condition is not None and task != "counting":
        checks.equal("schema", "config.answer_condition", condition, row.answer)


def check_answer(row: Row[str], prompt: ReadPrompt, verdict: Verdict, checks: Checks) -> bool:
    """The answer against the oracle's; whether they agree."""
    question = prompt.question
    checks.equal("question", "reachability_task", row.reachability_task, question.kind)
    checks.equal("question", "question", row.question.strip(), render_question(question))
    if question.options:
        written = dict(question.labelled_options)
        stored = {option.label: option.text.strip("“”") for option in row.options or ()}
        checks.equal("options", "options", stored, written)
    if verdict.malformed:
        reachable = ", ".join(verdict.reachable) or "none"
        checks.fault(
            "answer",
            "answer",
            f"{row.answer} (reachable options: {reachable})",
            f"exactly one of {', '.join(ascii_uppercase[: len(question.options)])} reachable",
            verdict.evidence,
        )
        return False
    return checks.equal("answer", "answer", row.answer, verdict.answer, verdict.evidence)
