"""Which examples of a data file a task evaluates: from the lists of an experiment to entries in slot order.

Lists must be gapless up to the last slot taken and round-robin over the varied values, in some order; where they are
not, the data are wrong, and the task says so before anything is sent.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.experiments import (
    EXPERIMENTS,
    NONE_OPTION,
    NONE_OPTION_PREFIX,
    PAPER_LENGTH,
    Format,
    check_experiment,
    check_value,
    normalise_name,
    parse_tokens,
    varied_value,
)
from graphniah_inspect.graphniah.index import Example


@dataclass(frozen=True)
class Entry:
    """An example at its place in an experiment's list; `value` is that of the varied variable."""

    slot: int
    value: str | int | None
    example: Example


@dataclass(frozen=True)
class Selection:
    """What a task evaluates: entries in slot order, and how they were chosen."""

    experiment: str
    context_length: int
    list_names: tuple[str, ...]
    list_size: int
    values: tuple[str | int, ...]
    slots_taken: int
    note: str | None
    entries: tuple[Entry, ...]


def select(
    examples: Sequence[Example],
    experiment: str,
    *,
    context_length: Any = None,
    subset: Any = "paper",
    value: Any = None,
    format: Format | None = None,
) -> Selection:
    """Choose the entries of one experiment.

    Args:
        examples: Every example of a data file.
        experiment: A name of `EXPERIMENTS`, with `-` or `_`.
        context_length: Tokens, e.g. 200000 or `200k`; None for the default (see `choose_length`).
        subset: `paper`, `all`, or the number of examples of every value.
        value: Keep only this value of the varied variable.
        format: Keep only examples of this format.

    Raises:
        UserError: A choice that cannot be meant or is not in the file, or lists that break the published rules.
    """
    experiment = check_experiment(experiment)
    lists = experiment_lists(examples)
    list_names, length = choose_length(lists, experiment, parse_tokens("context_length", context_length))
    entries = read_list(lists, list_names, length, experiment)
    values = tuple(dict.fromkeys(entry.value for entry in entries if entry.value is not None))
    where = f"the list of {list_names[0]!r} at {length} tokens"
    taken, note = slots_to_take(entries, len(values) or 1, list_names[0], subset, where)
    check_slots(entries, taken, len(values) or 1, where)
    chosen = [entry for entry in entries if entry.slot < taken]
    if value is not None:
        wanted = check_value(value, experiment, values)
        chosen = [entry for entry in chosen if entry.value == wanted]
    if format is not None:
        chosen = [entry for entry in chosen if entry.example.reachability_task == format]
    if not chosen:
        held = Counter(entry.example.reachability_task for entry in entries if entry.slot < taken)
        raise UserError(
            f"Nothing is left to evaluate: {where}, slots below {taken}, holds {dict(sorted(held.items()))} "
            f"of the values {list(values) or 'none'}, but format={format!r}, value={value!r} were asked for."
        )
    return Selection(experiment, length, list_names, len(entries), values, taken, note, tuple(chosen))


Lists = dict[tuple[str, int], list[tuple[int, Example]]]


def experiment_lists(examples: Sequence[Example]) -> Lists:
    """Every list of a data file: (name with `-`, context length) -> [(slot, example)] in file order."""
    lists: Lists = {}
    for example in examples:
        for entry in example.experiments:
            length = entry.context_length
            if length is None:
                length = example.config.get("context_length")
            name = entry.name if entry.name.startswith(NONE_OPTION_PREFIX) else normalise_name(entry.name)
            if not isinstance(length, int) or isinstance(length, bool):
                if name not in EXPERIMENTS and not name.startswith(NONE_OPTION_PREFIX):
                    continue  # no task reads this list
                raise UserError(
                    f"Line {example.line}: example {example.qid} is in {entry.name!r} without a context_length, "
                    f"neither in the entry nor in its config (found {length!r})."
                )
            lists.setdefault((name, length), []).append((entry.slot, example))
    return lists


def choose_length(lists: Lists, experiment: str, asked: int | None) -> tuple[tuple[str, ...], int]:
    """Names of the lists to read, and their context length.

    The default is 200000 where the experiment has it, else its only length. `context-length` defaults to the
    file's base length (that of its `reasoning-effort` list) and reads that list there, as the paper does.

    Raises:
        UserError: The combination does not exist, or there are several lengths and none was asked for.
    """

    def is_of(name: str) -> bool:
        return name.startswith(NONE_OPTION_PREFIX) if experiment == NONE_OPTION else name == experiment

    names: dict[int, list[str]] = {}
    for name, length in sorted(lists):
        if is_of(name):
            names.setdefault(length, []).append(name)
    base = None
    if experiment == "context-length":
        bases = [length for name, length in sorted(lists) if name == "reasoning-effort"]
        base = PAPER_LENGTH if PAPER_LENGTH in bases else bases[0] if len(bases) == 1 else None
        if base is not None:
            names.setdefault(base, ["reasoning-effort"])
    if asked is None:
        if base is not None:
            asked = base
        elif PAPER_LENGTH in names:
            asked = PAPER_LENGTH
        elif len(names) == 1:
            asked = next(iter(names))
    if asked in names:
        return tuple(names[asked]), asked
    there = "; ".join(f"{name} at {length}" for name, length in sorted(lists)) or "no list at all"
    if asked is None and names:
        raise UserError(
            f"experiment={experiment!r} has several lengths here: {sorted(names)}. Choose one with context_length."
        )
    raise UserError(
        f"The data has no list for experiment={experiment!r}"
        + (f" at context_length={asked}" if asked is not None else "")
        + f". It holds: {there}."
    )


def read_list(lists: Lists, names: tuple[str, ...], length: int, experiment: str) -> list[Entry]:
    """Entries of a list in slot order; the None lists of several models must hold the same examples.

    Raises:
        UserError: Two examples at one slot, None lists that differ, or an unconverted example in one.
    """
    first = lists[names[0], length]
    for name in names[1:]:
        differing = {example.qid for _, example in first} ^ {example.qid for _, example in lists[name, length]}
        if differing:
            raise UserError(
                f"The lists {names[0]!r} and {name!r} should hold the same examples, but {len(differing)} are in "
                f"only one of them, e.g. {min(differing)}."
            )
    at: dict[int, Example] = {}
    for slot, example in first:
        if slot in at:
            raise UserError(
                f"Slot {slot} of {names[0]!r} at {length} tokens is taken twice: by {at[slot].qid} (line "
                f"{at[slot].line}) and {example.qid} (line {example.line})."
            )
        if experiment == NONE_OPTION and example.config.get("none_option") != 1:
            raise UserError(
                f"Line {example.line}: {example.qid} is in {names[0]!r}, but its config has "
                f"none_option={example.config.get('none_option')!r} instead of 1."
            )
        at[slot] = example
    return [Entry(slot, varied_value(at[slot], experiment), at[slot]) for slot in sorted(at)]


def slots_to_take(
    entries: Sequence[Entry], values: int, list_name: str, subset: Any, where: str
) -> tuple[int, str | None]:
    """How many slots, from 0 on, a `subset` takes, and a note when the list is shorter than the paper's."""
    size = entries[-1].slot + 1
    if subset == "all":
        return size, None
    if subset == "paper":
        name = NONE_OPTION if list_name.startswith(NONE_OPTION_PREFIX) else list_name
        per_value = EXPERIMENTS[name].paper_per_value
        wanted = size if per_value is None else per_value * values
        if wanted <= size:
            return wanted, None
        return size, f"The paper evaluated {wanted} examples; {where} holds {size}, all of which are taken."
    if isinstance(subset, int) and not isinstance(subset, bool) and subset >= 1:
        if subset * values > size:
            raise UserError(
                f"subset={subset} asks for {subset} examples of each of {values} value(s), but {where} holds "
                f"{size}: at most {size // values} of each."
            )
        return subset * values, None
    raise UserError(f"subset={subset!r} is unknown. Known: paper, all, or a number of examples of every value.")


def check_slots(entries: Sequence[Entry], taken: int, values: int, where: str) -> None:
    """Refuse a list with a gap below `taken`, or whose values are not round-robin in some order."""
    slots = {entry.slot for entry in entries if entry.slot < taken}
    if missing := taken - len(slots):
        first = next(slot for slot in range(taken) if slot not in slots)
        raise UserError(
            f"Slot {first} of {where} is missing ({missing} of the slots below {taken} are). The data file "
            "is incomplete: download it again, or choose a smaller subset."
        )
    order: dict[int, Entry] = {}
    for entry in entries:
        expected = order.setdefault(entry.slot % values, entry)
        if entry.value != expected.value:
            raise UserError(
                f"Line {entry.example.line}: slot {entry.slot} of {where} has the value {entry.value!r}, but slot "
                f"{expected.slot} has {expected.value!r}; round-robin over {values} values needs the same at both. "
                "The slots or the config of the data are wrong."
            )
    distinct = {entry.value for entry in order.values()}
    if len(order) == values and len(distinct) != values:
        raise UserError(
            f"The first {values} slots of {where} hold {[order[i].value for i in sorted(order)]}; round-robin needs "
            "each value once. The slots or the config of the data are wrong."
        )
