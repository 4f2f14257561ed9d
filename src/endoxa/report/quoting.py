"""Before you quote this number: what else explains it, computed from the run.

Each instrument lists its diagnostics; a rule in the manual (docs/methods/before-you-quote.md) decides which concern the
number. Those stand first, on the page and on the terminal; the others stay in a closed table, so that readers see they
were looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from typing import Any

from endoxa.report.document import Finding, Section
from endoxa.report.inputs import entries
from endoxa.report.labels import without_directions
from endoxa.report.tables import Column, Table
from endoxa.report.words import count, listed, percent, plural
from endoxa.runs.asking.outcomes import MOST_CUT_OFF, MOST_UNREAD, AnswerCounts, over_contexts
from endoxa.schema.headline import Headline, plain
from endoxa.words.state import kept_words, states, unreviewed

TITLE = "Before you quote this number"
LARGE = 0.1
"""A difference of shares is shown first from 10 points on, where it is distinguishable from 0."""
FEWEST = 10
"""Observations that each side of a difference needs."""
FEW = 3
"""Of more models and rules that one diagnostic concerns, the largest is shown first, the others are counted."""
FLIPS = 2_000
"""Sign patterns of the tests of diagnostics: they decide what is shown first, not what is claimed."""
ROUNDING = {"float16": 2**-11, "bfloat16": 2**-8}
"""Half a unit in the last place of types of numbers with less than full precision, relative to the number."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something else that may explain a number, as far as the run tells.

    Attributes:
        name: what was looked at, in the words of the manual ("length of the sentences").
        sentence: what was found.
        concerning: its rule is met, so it is shown first.
        n: observations that it rests on.
        model: the model that it is about; empty where it is about the data.
        rule: the scoring rule or protocol, or empty.
        value: the estimate: a share or a difference of shares; None where there is none.
        low: lower end of its interval; None where it has none.
        high: upper end.
        numbers: what else stands in the sentence.
    """

    name: str
    sentence: str
    concerning: bool
    n: int
    model: str = ""
    rule: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    numbers: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The sentence after what was looked at."""
        return f"{self.name[:1].upper()}{self.name[1:]}. {self.sentence}"

    @property
    def finding(self) -> Finding:
        """The same with its numbers."""
        return Finding(self.text, (self.row,))

    @property
    def row(self) -> dict[str, Any]:
        """What JSON says of it."""
        row = asdict(self)
        return {name: plain(value) for name, value in (row | dict(row.pop("numbers"))).items()}


def ordered(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """What concerns the number first, then in the order of the names; the largest estimate first among equals.

    Names of models and data in the sentences cannot turn the direction of the text.
    """
    listing = [replace(each, sentence=without_directions(each.sentence)) for each in diagnostics]
    places = {name: place for place, name in enumerate(dict.fromkeys(each.name for each in listing))}
    return sorted(listing, key=lambda each: (not each.concerning, places[each.name], -_size(each)))


def _size(diagnostic: Diagnostic) -> float:
    value = diagnostic.value
    return abs(value) if value is not None and isfinite(value) else 0.0


MOST_LISTED = 100
"""Lines of the table of a page."""


def quoting(diagnostics: Iterable[Diagnostic], anchor: str = "quote") -> Section | None:
    """The box of a page; None where nothing was looked at."""
    listing = ordered(diagnostics)
    if not listing:
        return None
    nothing = f"Nothing that was looked at ({plural(len(listing), 'line')} below) reached its rule."
    first = list(_first(listing)) or [Finding(nothing, ({"looked_at": len(listing)},))]
    shown = {finding.text for finding in first}
    rest = [each for each in listing if each.text not in shown]
    names = list(dict.fromkeys(each.name for each in rest))
    table = Table(
        "What else was looked at",
        (Column("looked at"), Column("found"), Column("n", numeric=True)),
        tuple((each.name, each.sentence, count(each.n)) for each in rest[:MOST_LISTED]),
        folded=True,
        notes=(f"The first {MOST_LISTED} of {count(len(rest))}; the page of each run has its own.",)
        * (len(rest) > MOST_LISTED),
        summary=f"Also looked at: {listed(names)}",
    )
    return Section(
        anchor,
        TITLE,
        findings=tuple(first),
        tables=(table,) if rest else (),
        notes=(
            "What else may explain the number above, computed from this run. A line stands first where its rule in the "
            "manual (“Before you quote a number”) is met; it explains, it is no correction.",
        ),
    )


def _first(listing: Sequence[Diagnostic]) -> Iterator[Finding]:
    """What concerns the number: each diagnostic, or of many with one name the largest and how many more there are."""
    concerning = [each for each in listing if each.concerning]
    for name in dict.fromkeys(each.name for each in concerning):
        alike = [each for each in concerning if each.name == name]
        if len(alike) <= FEW:
            yield from (each.finding for each in alike)
            continue
        row = alike[0].row | {"further": len(alike) - 1}
        yield Finding(
            f"{alike[0].text} The same is to be said of {len(alike) - 1} more, listed below.", (row,)
        )


def with_diagnostics(headline: Headline, diagnostics: Iterable[Diagnostic]) -> Headline:
    """The headline with all diagnostics for scripts, and the most important one as a note for the terminal."""
    listing = ordered(diagnostics)
    first = [each for each in listing if each.concerning]
    notes = tuple(headline.notes)
    if first:
        further = f" {len(first) - 1} more in report.html." if len(first) > 1 else ""
        notes = (*notes, f"{TITLE}: {first[0].name}. {first[0].sentence}{further}")
    return replace(headline, notes=notes, diagnostics=tuple(each.row for each in listing))


def points(difference: float, low: float | None, high: float | None, level: str) -> str:
    """'12.0 points (95 % interval 3.1 to 20.4)', without an interval where there is none."""
    text = f"{_points(difference)} points"
    if low is None or high is None or not (isfinite(low) and isfinite(high)):
        return text
    return f"{text} ({level} interval {_points(low)} to {_points(high)})"


def _points(share: float) -> str:
    return percent(share).removesuffix("\u00a0%").replace("-", "−")


def review(facts: Mapping[str, Any], n: int, what: str) -> Iterator[Diagnostic]:
    """Words of ours behind a run that no speaker has checked; concerns the number wherever there are such.

    Args:
        facts: `run.json`.
        n: items of the run.
        what: what the items are ("pairs").
    """
    name = "review by speakers"
    kept = kept_words(facts)
    if line := unreviewed(kept):
        yield Diagnostic(name, f"{line} A wrong word would count as a preference of the model.", True, n)
        return
    read = [state for component, codes in kept for state in states([component], codes) if state.speakers]
    if read:
        speakers = min(state.speakers for state in read)
        sentence = (
            f"Words of endoxa behind these {what} were reviewed by at least {plural(speakers, 'speaker')}."
        )
        yield Diagnostic(name, sentence, False, n, numbers={"speakers": speakers})


def precisions(facts: Mapping[str, Any]) -> dict[str, str]:
    """Type of numbers of each model that ran here with less than full precision."""
    types = {str(model.get("name")): str(model.get("dtype") or "") for model in entries(facts.get("models"))}
    return {name: dtype for name, dtype in types.items() if dtype in ROUNDING or dtype == "4-bit"}


def precision(facts: Mapping[str, Any], n: int, label: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Models that answered with less than full precision, where nothing tells how many answers that may turn."""
    for model, dtype in precisions(facts).items():
        sentence = (
            f"{label.get(model, model)} ran with {dtype} numbers: other answers are possible with float32."
        )
        yield Diagnostic("precision of the numbers", sentence, True, n, model)


def answers_lost(
    counts: Sequence[AnswerCounts], label: Mapping[str, str], what: str = "answers"
) -> Iterator[Diagnostic]:
    """Answers that were cut off (more than 5 %) or not read (more than 20 %), by model.

    Args:
        counts: what became of the answers.
        label: how models are called.
        what: what they are.
    """
    for row in over_contexts(counts):
        if not row.asked:
            continue
        lost, cut = 1 - row.read / row.asked, row.cut_off / row.asked
        sentence = (
            f"{label.get(row.model, row.model)}: {percent(lost)} of {count(row.asked)} {what} were not read "
            f"({count(row.refused + row.filtered)} refused or filtered), {percent(cut)} were cut off."
        )
        numbers = {"cut_off": cut, "refused": row.refused + row.filtered}
        concerning = lost > MOST_UNREAD or cut > MOST_CUT_OFF
        yield Diagnostic(
            f"{what} not read", sentence, concerning, row.asked, row.model, value=lost, numbers=numbers
        )
