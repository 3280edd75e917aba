"""One line of `examples.jsonl`: the fields in use, typed, and a decoder that takes all that JSON allows.

The schema is that of the dataset card of `minhnam/GraphNIAH`. Only what a task needs is required; fields that
are not listed here may be present, absent, or of any type.
"""

import json
from typing import Annotated, Any, Generic, TypeVar

import msgspec

T = TypeVar("T")
U = TypeVar("U")
Text = TypeVar("Text", str, msgspec.Raw)


class Option(msgspec.Struct, frozen=True):
    """One answer of a multiple-choice question."""

    label: str
    text: str


class Placement(msgspec.Struct, frozen=True):
    """Where an example stands in the ordered list of an experiment.

    Attributes:
        name: The experiment, e.g. `question-depth`.
        slot: Position in that list, from 0.
        context_length: Tokens that the list's prompts were packed to (200000, 500000, 922000).
        random_seed: Seed of the list.
    """

    name: str
    slot: Annotated[int, msgspec.Meta(ge=0)]
    context_length: int | None = None
    random_seed: int | None = None


class Row(msgspec.Struct, Generic[Text], frozen=True):
    """A line of the file.

    `Row[msgspec.Raw]` checks the two prompts as JSON and leaves them where they are; `Row[str]` decodes them.
    """

    qid: str
    reachability_task: str
    question: str
    answer: str
    experiments: tuple[Placement, ...]
    system_prompt: Text
    user_prompt: Text
    question_type: str | None = None
    options: tuple[Option, ...] | None = None
    config: dict[str, Any] | None = None
    token_counts: dict[str, int | None] | None = None


def decode(data: "bytes | memoryview[int]", decoder: msgspec.json.Decoder[T], fallback: type[U]) -> T | U:
    """Decodes one JSON text with types, as `json.loads` would.

    msgspec refuses two things that JSON writers produce: escaped lone surrogates and numbers beyond a double.
    The standard library's decoder takes them, so it has the last word on a line that msgspec will not read.

    Args:
        data: The JSON text, in UTF-8.
        decoder: The fast way.
        fallback: The type to which the result of the slow way is converted.

    Raises:
        ValueError: Not JSON (`json.JSONDecodeError`), not UTF-8 (`UnicodeDecodeError`), not of the type
            (`msgspec.ValidationError`, whose message holds the path of the field), or with a lone surrogate in
            the name of a field (`UnicodeEncodeError`).
        RecursionError: Nested too deeply.
    """
    try:
        return decoder.decode(data)
    except msgspec.DecodeError:
        return msgspec.convert(json.loads(str(data, "utf-8", "surrogatepass")), fallback)
