"""Rates with intervals, and the samples behind them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphniah_inspect.report.stats import accuracy_interval, cluster_codes

if TYPE_CHECKING:
    import pandas as pd

NOT_COUNTED = ("error", "not_scored")
"""Outcomes without a score: outside the denominator of every accuracy, as in Inspect's own metrics."""


@dataclass(frozen=True)
class Rate:
    """Mean score of samples, 0..1, a sample's score being its mean over epochs.

    Attributes:
        n: Samples with a score: the denominator.
        mean: NaN where n is 0.
        low: Lower end of the 95 % Wilson interval, clustered.
        high: Its upper end.
        failed: Responses without a score (errors), not in n.
    """

    n: int
    mean: float
    low: float
    high: float
    failed: int


@dataclass(frozen=True)
class Show:
    """Samples of a log, as the viewer's filter finds them."""

    log: str
    filter: str

    @property
    def command(self) -> str:
        """Starts the viewer on the log's folder."""
        folder = self.log.rpartition("/")[0] if "://" in self.log else str(Path(self.log).parent)
        return f"inspect view start --log-dir {_shell(folder)}"

    @property
    def address(self) -> str:
        """Where the viewer then shows the log's samples."""
        from urllib.parse import quote

        return f"http://127.0.0.1:7575/#/logs/{quote(self.log.rpartition('/')[2])}/samples"


def rate(part: "pd.DataFrame", measure: str = "score") -> Rate:
    """Mean of a column over the samples of one run (or a part of one), with its interval."""
    lost = part["outcome"].isin(NOT_COUNTED)
    values = part[measure].where(~lost).astype(float)
    scored = values.notna()
    failed = int(lost.sum())
    if not scored.any():
        return Rate(0, float("nan"), float("nan"), float("nan"), failed)
    by_id = values[scored].groupby(part.loc[scored, "id"], sort=True)
    scores = np.asarray(by_id.mean(), dtype=np.float64)
    clusters = part.loc[scored, "cluster"].groupby(part.loc[scored, "id"], sort=True).first()
    interval = accuracy_interval(scores, cluster_codes(clusters.tolist()))
    return Rate(len(scores), float(scores.mean()), interval.low, interval.high, failed)


def chance_of(part: "pd.DataFrame") -> float | None:
    """Expected score of a guesser on these samples; None where nothing can be guessed (counting), or is unknown."""
    known = part.drop_duplicates("id")["chance"]
    if known.empty or known.isna().any() or not float(known.sum()):
        return None
    return float(known.mean())


def condition(name: str, value: Any, operator: str = "==") -> str:
    """One comparison in the viewer's filter language, e.g. `metadata.value == 8`."""
    if isinstance(value, np.generic):
        value = value.item()
    return f"{name} {operator} {json.dumps(value, ensure_ascii=False)}"


def both(*conditions: str) -> str:
    """Conditions that must all hold."""
    return " and ".join(condition for condition in conditions if condition)


def ids_filter(ids: "pd.Series[str]") -> str:
    """The filter that finds exactly these samples, for what the viewer cannot filter by."""
    return f"id in ({', '.join(json.dumps(one, ensure_ascii=False) for one in sorted(set(ids)))})"


def _shell(text: str) -> str:
    import shlex

    return shlex.quote(text)
