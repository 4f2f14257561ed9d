"""Results of a comparison of runs: frozen values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from endoxa.report.claims import chip
from endoxa.report.document import Finding
from endoxa.report.words import decimal, decimal_interval, signed
from endoxa.schema import ALL
from endoxa.schema.headline import Headline, plain
from endoxa.sources.spreadsheets import csv_text
from endoxa.study.compare.changes import Change
from endoxa.study.compare.sides import Compared
from endoxa.study.gate.settings import Setting
from endoxa.study.saving import Result

if TYPE_CHECKING:
    from endoxa.report.frame import Page


@dataclass(frozen=True, slots=True)
class Contrasted:
    """Two runs side by side.

    Attributes:
        before: the first run.
        after: the second.
        settings: in what they differ.
        changes: of every measure, over all items of both.
        parts: of measures of bias, by axis and identity.
        items: the items that changed sides.
        notes: what was left out.
        identical: every score or answer is the same in both.
        about_items: what is found of the items besides their number.
    """

    before: Compared
    after: Compared
    settings: tuple[Setting, ...]
    changes: tuple[Change, ...]
    parts: tuple[Change, ...]
    items: pl.DataFrame
    notes: tuple[str, ...]
    identical: bool
    about_items: tuple[Finding, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of the runs, which is the same of both."""
        return self.before.side.run.kind

    @property
    def bias(self) -> list[Change]:
        """Changes of measures of bias."""
        return [change for change in self.changes if change.kind == "bias"]

    @property
    def price(self) -> list[Change]:
        """What they come with: accuracy, refusals, lengths, money."""
        return [change for change in self.changes if change.kind == "price"]


@dataclass(frozen=True, slots=True)
class Comparison(Result):
    """Two runs or more, each compared with the first, and every two of them.

    Attributes:
        sentences: what was found of each run against the first, in words.
        runs: the runs in the order given.
        contrasts: of every two runs, those with the first run first; what is shown is corrected together.
        confidence: of the intervals.
        tests: how many changes over all items are corrected together.
    """

    sentences: tuple[str, ...]
    runs: tuple[Compared, ...]
    contrasts: tuple[Contrasted, ...]
    confidence: float
    tests: int
    suffixes: ClassVar[tuple[str, ...]] = (".html", ".json", ".csv")

    @property
    def sentence(self) -> str:
        """All that was found, in words."""
        return " ".join(self.sentences)

    @property
    def shown(self) -> tuple[Contrasted, ...]:
        """Each run against the first."""
        return tuple(each for each in self.contrasts if each.before is self.runs[0])

    @property
    def changes(self) -> pl.DataFrame:
        """Every change of every two runs, over all items and by axis and identity."""
        rows = [
            {"before_run": each.before.label, "after_run": each.after.label, **change.row}
            for each in self.contrasts
            for change in (*each.changes, *each.parts)
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    @property
    def items(self) -> pl.DataFrame:
        """The items that changed sides between the first run and each other one."""
        frames = [
            each.items.select(
                pl.lit(each.before.label).alias("before_run"),
                pl.lit(each.after.label).alias("after_run"),
                pl.all(),
            )
            for each in self.shown
        ]
        return pl.concat(frames, how="diagonal_relaxed")

    @property
    def about_items(self) -> tuple[Finding, ...]:
        """What is found of the items besides their number, of each run against the first."""
        several = len(self.shown) > 1
        return tuple(
            replace(finding, text=f"{each.after.label}: {finding.text}") if several else finding
            for each in self.shown
            for finding in each.about_items
        )

    def to_dict(self) -> dict[str, Any]:
        """What the JSON file holds; undefined numbers are None."""
        return {
            "kind": "comparison",
            "sentence": self.sentence,
            "confidence": self.confidence,
            "runs": [run.facts() for run in self.runs],
            "contrasts": [
                {
                    "before": each.before.label,
                    "after": each.after.label,
                    "settings": [
                        {"name": setting.name, "before": setting.before, "after": setting.after}
                        for setting in each.settings
                    ],
                    "identical": each.identical,
                    "changes": [change.row for change in each.changes],
                    "parts": [change.row for change in each.parts],
                    "changed_items": each.items.height,
                    "about_items": [
                        {
                            "sentence": str(finding),
                            **{name: plain(number) for name, number in finding.rests_on[0].items()},
                        }
                        for finding in each.about_items
                    ],
                    "notes": list(each.notes),
                }
                for each in self.contrasts
            ],
        }

    def headline(self) -> Headline:
        """The table that the terminal shows: changes over all items, each run against the first."""
        rows = [(each, change) for each in self.shown for change in each.changes]
        several, rules = len(self.shown) > 1, len({change.rule for _, change in rows if change.n_items}) > 1
        tests = any(change.identity != ALL for _, change in rows)
        heads = (
            *(("run",) if several else ()),
            "test" if tests else "measure",
            *(("rule",) if rules else ()),
        )
        texts = tuple(
            (
                *((each.after.label,) if several else ()),
                change.identity if tests else change.measure,
                *((change.rule,) if rules else ()),
                f"{value(change.before)} to {value(change.after)}",
                signed(change.difference),
                decimal_interval(change.low, change.high),
                chip(change.reasoned),
            )
            for each, change in rows
        )
        return Headline(
            title=f"Changes from {self.runs[0].label}"
            + ("" if several else f" to {self.runs[1].label}")
            + f", {100 * self.confidence:g} % intervals",
            columns=(*heads, "from to", "change", "interval", "verdict"),
            texts=texts,
            rows=tuple({"run": each.after.label, **change.row} for each, change in rows),
            words=("run", "measure", "test", "rule", "from to", "verdict"),
            notes=tuple(
                dict.fromkeys(
                    [
                        *map(str, self.about_items),
                        *(note for each in self.shown for note in each.notes),
                    ]
                )
            ),
        )

    def texts(self) -> Mapping[str, Callable[[], str]]:
        """Text files by their suffix: everything but the items, and every change."""
        return {**Result.texts(self), ".csv": lambda: csv_text(self.changes)}

    def page(self) -> Page:
        """The page; the run folders must still be there."""
        from endoxa.study.compare.page import page_of

        return page_of(self)

    def __str__(self) -> str:
        """Sentence and table."""
        return f"{self.sentence}\n{self.headline()}"


def value(number: float) -> str:
    """A value of a measure: three decimals, large ones with fewer digits."""
    return decimal(number) if abs(number) < 10 else decimal(number, 1)
