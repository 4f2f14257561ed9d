"""Results of a comparison of runs, or of whole studies: frozen values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from endoxa.report.claims import chip
from endoxa.report.document import Finding
from endoxa.report.tables import Field, headline_of, number_field, text_field
from endoxa.report.words import decimal, decimal_interval, listed, plural, signed
from endoxa.runs.instrument import Kind
from endoxa.schema import ALL
from endoxa.schema.headline import Headline, plain
from endoxa.sources.spreadsheets import csv_text
from endoxa.stats.verdicts import UNTESTED
from endoxa.study.compare.changes import Change, Estimates
from endoxa.study.gate.measures import EFFECT_SIZE
from endoxa.study.gate.runs import Side
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
        estimates: what changed.
        shown: whether the first run is the first of the comparison; other contrasts are in the files only.
        instrument: of studies the name of the run in each of them, else empty.
    """

    before: Side
    after: Side
    settings: tuple[Setting, ...]
    estimates: Estimates
    shown: bool = True
    instrument: str = ""

    @property
    def kind(self) -> str:
        """The kind of the runs, which is the same of both."""
        return self.before.run.kind

    @property
    def changes(self) -> tuple[Change, ...]:
        """Changes of every measure over all items."""
        return self.estimates.changes

    @property
    def bias(self) -> list[Change]:
        """Changes of measures of bias."""
        return [change for change in self.changes if change.kind == "bias"]

    @property
    def price(self) -> list[Change]:
        """What they come with: accuracy, refusals, lengths, money."""
        return [change for change in self.changes if change.kind == "price"]

    @property
    def of_instrument(self) -> dict[str, str]:
        """Of studies the instrument, for tables and JSON."""
        return {"instrument": self.instrument} if self.instrument else {}

    @property
    def columns(self) -> dict[str, str]:
        """What tables say of it."""
        return self.of_instrument | {"before_run": self.before.label, "after_run": self.after.label}


Row = tuple[Contrasted, Change]


@dataclass(frozen=True, slots=True)
class Comparison(Result):
    """Two runs or more, or whole studies: each compared with the first, and every two of them.

    Attributes:
        sentences: what was found of each run against the first, in words.
        runs: the runs in the order given, of studies instrument by instrument.
        contrasts: of every two runs, those with the first run first; what is shown is corrected together.
        confidence: of the intervals.
        tests: how many changes over all items are corrected together.
        alone: instruments of studies that are not compared, with the reason.
    """

    sentences: tuple[str, ...]
    runs: tuple[Side, ...]
    contrasts: tuple[Contrasted, ...]
    confidence: float
    tests: int
    alone: tuple[str, ...] = ()
    suffixes: ClassVar[tuple[str, ...]] = (".html", ".json", ".csv")

    @property
    def sentence(self) -> str:
        """All that was found, in words."""
        return " ".join(self.sentences)

    @property
    def shown(self) -> tuple[Contrasted, ...]:
        """Each run against the first."""
        return tuple(each for each in self.contrasts if each.shown)

    @property
    def instruments(self) -> list[str]:
        """Of studies the instruments; of runs a single empty name."""
        return list(dict.fromkeys(each.instrument for each in self.shown))

    @property
    def labels(self) -> list[str]:
        """Names of the runs or studies, the first one first."""
        return list(dict.fromkeys(run.label for run in self.runs))

    def of(self, instrument: str) -> Comparison:
        """The contrasts of one instrument."""
        contrasts = tuple(each for each in self.contrasts if each.instrument == instrument)
        return replace(self, contrasts=contrasts)

    def rows(self, kind: Kind | None = None) -> list[Row]:
        """Changes over all items of each run against the first; of studies those that can be tested."""
        return [
            (each, change)
            for each in self.shown
            for change in each.changes
            if kind in (None, change.kind) and not (each.instrument and change.verdict == UNTESTED)
        ]

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        untested: dict[str, int] = {}
        for each in self.shown:
            lost = sum(change.verdict == UNTESTED for change in each.changes)
            if each.instrument and lost:
                untested[each.instrument] = untested.get(each.instrument, 0) + lost
        without = listed([f"{plural(number, 'change')} with {name}" for name, number in untested.items()])
        note = [f"Not in these tables, because they cannot be tested: {without}."] if untested else []
        every = (note for each in self.shown for note in each.estimates.notes)
        return tuple(dict.fromkeys([*note, *self.alone, *every]))

    @property
    def changes(self) -> pl.DataFrame:
        """Every change of every two runs, over all items and by axis and identity."""
        rows = [
            each.columns | change.row
            for each in self.contrasts
            for change in (*each.changes, *each.estimates.parts)
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    @property
    def items(self) -> pl.DataFrame:
        """The items that changed sides between the first run and each other one."""
        frames = [
            each.estimates.items.select(
                *(pl.lit(value).alias(name) for name, value in each.columns.items()), pl.all()
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
            for finding in each.estimates.about_items
        )

    def to_dict(self) -> dict[str, Any]:
        """What the JSON file holds; undefined numbers are None."""
        return {
            "kind": "comparison",
            "sentence": self.sentence,
            "confidence": self.confidence,
            "runs": [run.dated_facts() for run in self.runs],
            "contrasts": [
                {
                    **each.of_instrument,
                    "before": each.before.label,
                    "after": each.after.label,
                    "settings": [asdict(setting) for setting in each.settings],
                    "identical": each.estimates.identical,
                    "changes": [change.row for change in each.changes],
                    "parts": [change.row for change in each.estimates.parts],
                    "changed_items": each.estimates.items.height,
                    "about_items": [
                        {"sentence": str(finding)}
                        | {name: plain(number) for name, number in finding.rests_on[0].items()}
                        for finding in each.estimates.about_items
                    ],
                    "notes": list(each.estimates.notes),
                }
                for each in self.contrasts
            ],
            **({"not_compared": list(self.alone)} if any(self.instruments) else {}),
        }

    def headline(self) -> Headline:
        """The table that the terminal shows: changes over all items, each run against the first."""
        rows = self.rows()
        numbers = [each.of_instrument | {"run": each.after.label} | change.row for each, change in rows]
        to = f" to {self.labels[1]}" if len(self.labels) == 2 else ""
        return headline_of(
            f"Changes from {self.labels[0]}{to}, {100 * self.confidence:g} % intervals",
            rows,
            [*where_fields(self, rows), FROM_TO, *CHANGED],
            numbers,
            notes=tuple(dict.fromkeys([*map(str, self.about_items), *self.notes])),
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


def where_fields(comparison: Comparison, rows: list[Row]) -> list[Field]:
    """What a row is about, as far as rows differ in it: instrument, run, measure or test, rule."""
    tested = [change.measure == EFFECT_SIZE.name for _, change in rows]
    fields = {
        "instrument": (any(comparison.instruments), lambda row: row[0].instrument),
        "run": (len(comparison.labels) > 2, lambda row: row[0].after.label),
        "test": (any(tested), lambda row: row[1].identity if row[1].measure == EFFECT_SIZE.name else ""),
        "measure": (not all(tested), lambda row: row[1].measure),
        "rule": (
            len({change.rule for _, change in rows if change.n_items and change.rule != ALL}) > 1,
            lambda row: "" if row[1].rule == ALL else row[1].rule,
        ),
    }
    return [text_field(name, read) for name, (wanted, read) in fields.items() if wanted]


FROM_TO = text_field("from to", lambda row: f"{value(row[1].before)} to {value(row[1].after)}")
CHANGED = (
    number_field("change", lambda row: signed(row[1].difference)),
    number_field("interval", lambda row: decimal_interval(row[1].low, row[1].high)),
    text_field("verdict", lambda row: chip(row[1].reasoned)),
)
"""What every table of changes shows of one."""
