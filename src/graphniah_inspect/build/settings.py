"""Every choice of a build, in one frozen object that is recorded whole in the manifest.

Names and defaults follow the dataset card where it speaks; the rest is this project's decision and has a flag each.
"""

from dataclasses import asdict, dataclass, fields
from typing import Any

from graphniah_inspect.build.backbone import backbone_length
from graphniah_inspect.build.distractors import DISTRACTOR_TYPES, TEXT_TYPES
from graphniah_inspect.errors import UserError

GENERATOR_VERSION = "graphniah-inspect.v2"
"""Changes whenever the same settings would give other bytes."""

EXPERIMENTS = (
    "question-depth",
    "node-count",
    "question-format",
    "distractor-type",
    "reasoning_effort",
    "context_length",
    "none-option",
)
"""What can be built, in the order of the dataset card; ``none-option`` converts examples of ``question-format``."""

FORMATS = ("reachability-yesno", "reachability-multiple", "reachability-counting")
OPTIONS = 4
TOKENIZER = "o200k_base"
TOKENIZER_NAME = "gpt-5.4"
"""The name under which published rows hold ``o200k_base`` counts."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What to build and how.

    Attributes:
        experiments: Which experiments, of ``EXPERIMENTS``.
        per_value: List entries for each varied value (and for each list that varies nothing).
        context_lengths: Target lengths in tokens; the first is the base, the others make ``context_length`` lists.
        depths: Papers of the true path, both ends included.
        node_counts: Component sizes that ``node-count`` varies.
        node_range: Smallest and largest component where the size is drawn.
        distractor_types: The types drawn, and varied by ``distractor-type``.
        components: Components of an example besides those that fill a ``disjoint-tree`` context.
        alpha: Weight of an attachment point besides its degree.
        any_date_growth: Growth may add papers from before the cutoff.
        equal_sizes: All components have s's size; else the others' sizes are drawn from ``node_range``.
        balance: Draw s and t so that topic, years and authors tell nothing.
        seed_hops: Backbones start within this distance of one seed paper; 0 draws each anywhere.
        allow_repeats: A text may come twice in one prompt where the pool is too small.
        piece_size: Largest piece of a text, in characters.
        none_count: How many multiple-choice examples get a None variant.
        none_lists: Last parts of the names of the None lists, which all hold the same examples.
        seed: Of everything.
    """

    experiments: tuple[str, ...] = EXPERIMENTS
    per_value: int = 500
    context_lengths: tuple[int, ...] = (200_000, 500_000, 922_000)
    depths: tuple[int, ...] = (4, 8, 16, 32)
    node_counts: tuple[int, ...] = (100, 150, 200, 250)
    node_range: tuple[int, int] = (100, 250)
    distractor_types: tuple[str, ...] = DISTRACTOR_TYPES
    components: int = 4
    alpha: float = 0.1
    any_date_growth: bool = False
    equal_sizes: bool = False
    balance: bool = True
    seed_hops: int = 3
    allow_repeats: bool = False
    piece_size: int = 4_000
    none_count: int = 100
    none_lists: tuple[str, ...] = ("any-model",)
    seed: int = 1

    def __post_init__(self) -> None:
        self._refuse_unknown("experiments", self.experiments, EXPERIMENTS)
        self._refuse_unknown("distractor types", self.distractor_types, DISTRACTOR_TYPES)
        for name in ("experiments", "context_lengths", "depths", "node_counts", "distractor_types", "none_lists"):
            values = getattr(self, name)
            if not values or len(set(values)) != len(values):
                raise UserError(f"--{name.replace('_', '-')}: expected distinct values, found {list(values)}.")
        low, high = self.node_range
        checks = (
            (self.per_value >= 1, f"--per-value {self.per_value}: expected at least 1."),
            (1 <= low <= high, f"--node-range {low}-{high}: expected a smaller and a larger size."),
            (min(self.depths) >= 2, f"--depths {min(self.depths)}: a path has at least 2 papers."),
            (
                OPTIONS <= self.components <= 8,
                f"--components {self.components}: expected {OPTIONS} to 8, because {OPTIONS - 1} wrong options come "
                "from as many other components.",
            ),
            (0 <= self.alpha <= 1e6, f"--alpha {self.alpha}: expected 0 to a million."),
            (self.seed_hops >= 0, f"--seed-hops {self.seed_hops}: expected 0 or more."),
            (0 <= self.seed < 2**63, f"--seed {self.seed}: expected 0 or more, and a number of 64 bits."),
            (
                # they become folders of the raw layout
                all({"", ".", ".."}.isdisjoint(name.split("/")) for name in self.none_lists),
                f"--none-lists {','.join(self.none_lists)}: expected names such as model=NAME, without `..`.",
            ),
            (
                self.none_count >= 1 or "none-option" not in self.experiments,
                f"--none-count {self.none_count}: expected at least 1, or leave none-option out of --experiments.",
            ),
            (self.piece_size >= 200, f"--piece-size {self.piece_size}: expected at least 200 characters."),
            (
                "none-option" not in self.experiments or "question-format" in self.experiments,
                "--experiments none-option needs question-format too, whose examples it converts.",
            ),
            (
                "context_length" not in self.experiments or len(self.context_lengths) > 1,
                "--experiments context_length needs a second, longer length in --context-lengths.",
            ),
        )
        for fine, message in checks:
            if not fine:
                raise UserError(message)
        self._refuse_sizes()

    def _refuse_unknown(self, what: str, found: tuple[str, ...], known: tuple[str, ...]) -> None:
        if unknown := sorted(set(found) - set(known)):
            raise UserError(f"Unknown {what}: {', '.join(unknown)}. Known: {', '.join(known)}.")

    def _refuse_sizes(self) -> None:
        """A component must hold its backbone."""
        high = self.node_range[1]
        for depth in self.depths:
            if (needed := backbone_length(depth)) > high:
                raise UserError(
                    f"--depths {depth}: its backbone has {needed} papers, more than the largest component "
                    f"({high}, --node-range)."
                )
        smallest = backbone_length(min(self.depths))
        if "node-count" in self.experiments and min(self.node_counts) < smallest:
            raise UserError(
                f"--node-counts {min(self.node_counts)}: smaller than the backbone of the smallest depth "
                f"({smallest} papers for depth {min(self.depths)})."
            )

    @property
    def base_length(self) -> int:
        """The context length of every experiment but ``context_length``."""
        return self.context_lengths[0]

    @property
    def text_types(self) -> tuple[str, ...]:
        """The chosen distractor types that need a pool of text."""
        return tuple(kind for kind in self.distractor_types if kind in TEXT_TYPES)

    def sizes(self, depth: int) -> tuple[int, int]:
        """Smallest and largest component that is drawn for a depth."""
        return max(self.node_range[0], backbone_length(depth)), self.node_range[1]

    @property
    def largest(self) -> int:
        """Papers of the largest component that the settings can ask for."""
        counts = self.node_counts if "node-count" in self.experiments else ()
        return max((self.node_range[1], *counts))

    def construction(self) -> dict[str, Any]:
        """Those settings on which an example depends, besides the variables of its experiments."""
        names = (
            "components",
            "alpha",
            "any_date_growth",
            "equal_sizes",
            "balance",
            "seed_hops",
            "allow_repeats",
            "node_range",
            "seed",
        )
        return {name: getattr(self, name) for name in names}

    def record(self) -> dict[str, Any]:
        """All settings, as plain JSON values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


FLAGS = {field.name for field in fields(Settings)}
