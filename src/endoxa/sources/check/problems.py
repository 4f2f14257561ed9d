"""A pair as the checks see it, the problems they find in a file, and the checks of all pairs together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Literal, TypeVar, cast

import polars as pl

from endoxa.sources.drafts import Draft
from endoxa.sources.frames import write_table
from endoxa.sources.identities import spellings
from endoxa.sources.typography import Span, Word, differing_spans, plain_form, words

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From what keeps a file from being read to what is only worth knowing."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem.

    Attributes:
        severity: 'error': the pair cannot be scored, or means nothing; 'warning': its score says something
            else than intended; 'note': worth knowing.
        check: name of the check, explained in the manual.
        item_id: the pair, empty where the problem is the file's.
        row: record number from 1; 0 where the problem is the file's.
        column: the file's name of the column, empty where it is the whole record.
        message: what was found and what to do, without words of the data.
        text: the words of the data it is about, to be shown only on request.
    """

    severity: Severity
    check: str
    item_id: str
    row: int
    column: str
    message: str
    text: str = ""


def group_problems(problems: Iterable[Problem]) -> dict[str, list[Problem]]:
    """Problems by check: errors first, then warnings, then notes; the most frequent first among them."""
    groups: dict[str, list[Problem]] = {}
    for problem in problems:
        groups.setdefault(problem.check, []).append(problem)
    ranked = sorted(
        groups.items(), key=lambda group: (SEVERITIES.index(group[1][0].severity), -len(group[1]))
    )
    return dict(ranked)


def write_problems(problems: Iterable[Problem], path: Path, show_text: bool = False) -> None:
    """Write problems as CSV, one a row; the words of the data only where `show_text` says so."""
    columns = {field.name: pl.Int64 if field.name == "row" else pl.String for field in fields(Problem)}
    table = pl.DataFrame(list(map(astuple, problems)), schema=columns, orient="row")
    write_table(table if show_text else table.drop("text"), path)


SENTENCES = ("sent_more", "sent_less")


@dataclass(frozen=True, slots=True)
class Checked:
    """Something in words that can have problems.

    Attributes:
        item_id: what it is called.
        row: number of its record from 1.
        texts: column and text of what is in words.
    """

    item_id: str
    row: int
    texts: tuple[tuple[str, str], ...]

    def problem(self, severity: Severity, check: str, column: str, message: str, text: str = "") -> Problem:
        """A problem of it."""
        return Problem(severity, check, self.item_id, self.row, column, message, text)


@dataclass(frozen=True, slots=True)
class Replacement:
    """What stands in one sentence where the other has something else; one side may be empty."""

    more: tuple[Word, ...]
    less: tuple[Word, ...]

    @property
    def sides(self) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
        """Both sides, for checks that look at either."""
        return self.more, self.less


@dataclass(frozen=True, slots=True)
class Item(Checked):
    """A pair whose cells hold, with its words, the spans in which they differ, and the words of each span.

    `language` is the tag without script and region ('hi' for 'hi-Latn'). `compares_groups` is False where the pair
    keeps its group and changes what is said of it (S-AS, StereoSet).
    """

    draft: Draft
    language: str
    more: tuple[Word, ...]
    less: tuple[Word, ...]
    spans: tuple[Span, ...]
    replacements: tuple[Replacement, ...]
    compares_groups: bool

    @classmethod
    def of(cls, draft: Draft) -> Item:
        """Take the sentences of a draft without faults apart."""
        texts = tuple((name, draft.pair[name] or "") for name in SENTENCES)
        more, less = (words(text) for _, text in texts)
        language = (draft.pair.get("language") or "und").replace("_", "-").split("-")[0].lower()
        spans = differing_spans(more, less)
        replacements = tuple(
            Replacement(more[span.start_more : span.end_more], less[span.start_less : span.end_less])
            for span in spans
        )
        groups = _compares_groups(draft, more, less)
        name = draft.pair.get("item_id") or ""
        return cls(name, draft.row, texts, draft, language, more, less, spans, replacements, groups)

    def cell(self, column: str) -> str:
        """Text of a cell; empty where there is none."""
        return self.draft.pair.get(column) or ""


Findings = Iterator[tuple[str, str, str]]
"""What a check finds: one of our columns, or empty for the whole record, the message, and the words it is about."""

PAIR_CHECKS: list[Callable[[Item], Iterator[Problem]]] = []
"""Checks of one pair."""

C = TypeVar("C", bound=Checked)


def check(
    severity: Severity, *, english: bool = False, groups: bool = False
) -> Callable[[Callable[[C], Findings]], Callable[[C], Iterator[Problem]]]:
    """A check of pairs, called as its function is.

    Args:
        severity: of its problems.
        english: only English pairs are looked at.
        groups: only pairs that compare groups are.
    """

    def registered(find: Callable[[C], Findings]) -> Callable[[C], Iterator[Problem]]:
        @wraps(find)
        def problems(item: C) -> Iterator[Problem]:
            draft = item.draft if isinstance(item, Item) else None
            if isinstance(item, Item) and (
                (english and item.language != "en") or (groups and not item.compares_groups)
            ):
                return
            for column, message, text in find(item):
                named = draft.column(column) if draft and column else column
                yield item.problem(severity, find.__name__.replace("_", "-"), named, message, text)

        PAIR_CHECKS.append(cast("Callable[[Item], Iterator[Problem]]", problems))
        return problems

    return registered


def _compares_groups(draft: Draft, more: Sequence[Word], less: Sequence[Word]) -> bool:
    if draft.pair.get("attribute_more"):
        return False
    identity = {word.folded for word in words(draft.pair.get("identity") or "")}
    stays = all(identity.issubset(word.folded for word in side) for side in (more, less))
    return not (identity and stays)


def join(several: tuple[Word, ...]) -> str:
    """Words as text."""
    return " ".join(word.text for word in several)


def changes(several: Iterable[Replacement]) -> str:
    """What stands in place of what, as text."""
    return "; ".join(f"{join(edit.more) or '-'} / {join(edit.less) or '-'}" for edit in several)


RARE_SHARE = 0.10
"""Share of the rarer label under which an axis counts as unbalanced."""

LEAST_PAIRS = 20
"""Labelled pairs an axis needs before its balance is judged."""

LEAST_CONTRAST = 5
"""Pairs of an axis in which a group must be the contrast to count as a contrast there."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What is kept of a pair or association until the end of the file; of its texts a key."""

    item_id: str
    row: int
    id_column: str
    key: tuple[object, ...]
    identity: str
    attribute: str = ""
    axis: str = ""
    direction: str = ""
    language: str = ""
    contrast: str = ""
    associated: bool = False

    @classmethod
    def of(cls, item: Item) -> Trace:
        """Texts are kept as hashes of their words, so that a million pairs fit in memory."""
        keys = [hash(plain_form(" ".join(word.folded for word in side))) for side in (item.more, item.less)]
        other = 0 if item.cell("stereotypical") == "less" else 1
        changed = (
            [replacement.sides[other] for replacement in item.replacements] if item.compares_groups else []
        )
        return cls(
            item.item_id,
            item.row,
            item.draft.column("item_id"),
            tuple(keys),
            identity=item.cell("identity"),
            axis=item.cell("axis"),
            direction=item.cell("direction"),
            language=item.cell("language"),
            contrast=join(changed[0]).casefold() if len(changed) == 1 else "",
            associated=bool(item.cell("association_id")),
        )


def _repeated(traces: Sequence[Trace], key: Callable[[Trace], object]) -> Iterator[tuple[Trace, int]]:
    """Each trace whose key an earlier row has, with that row; an empty key is none."""
    first: dict[object, int] = {}
    for trace in traces:
        name = key(trace)
        if name and first.setdefault(name, trace.row) != trace.row:
            yield trace, first[name]


def duplicate_id(traces: Sequence[Trace]) -> Iterator[Problem]:
    """Two pairs or associations of one name: records and estimates could not be told apart."""
    for trace, row in _repeated(traces, lambda trace: trace.item_id):
        message = f"is also the id of row {row}; ids must be unique"
        yield Problem("error", "duplicate-id", trace.item_id, trace.row, trace.id_column, message)


def duplicate_association(traces: Sequence[Trace]) -> Iterator[Problem]:
    """The same is said of the same people twice in one language: it is counted twice. Merge the two."""
    for trace, row in _repeated(traces, lambda trace: all(trace.key[:2]) and trace.key):
        message = f"repeats row {row} and is counted twice"
        yield Problem("warning", "duplicate-association", trace.item_id, trace.row, "", message)


def duplicate_pairs(traces: Sequence[Trace]) -> Iterator[Problem]:
    """The same two sentences again, as they are or with sides swapped: counted twice, or against itself.

    Case and punctuation are not compared.
    """
    first: dict[tuple[object, ...], int] = {}
    for trace in traces:
        key, swapped = trace.key, trace.key[::-1]
        if key in first:
            message = f"is the same pair as row {first[key]}: it is counted twice"
            yield Problem("warning", "duplicate-pair", trace.item_id, trace.row, "", message)
        elif swapped in first:
            message = f"is the pair of row {first[swapped]} with its sides swapped: the two cancel out"
            yield Problem("warning", "reversed-pair", trace.item_id, trace.row, "", message)
        first.setdefault(key, trace.row)


def identity_spellings(traces: Sequence[Trace]) -> Iterator[Problem]:
    """One identity is written in several ways: it counts as one in every estimate, and shows one of them."""
    yield from _spellings([trace.identity for trace in traces], "identity")


def attribute_spellings(traces: Sequence[Trace]) -> Iterator[Problem]:
    """One attribute is written in several ways: it counts as one in everything made of the table."""
    yield from _spellings([trace.attribute for trace in traces], "attribute")


def _spellings(texts: Sequence[str], column: str) -> Iterator[Problem]:
    for counts in spellings(pl.Series(texts, dtype=pl.String)).values():
        message = f"one {column} is written in {len(counts)} ways and counts as one"
        text = ", ".join(ascii(name) for name in counts)
        yield Problem("note", f"{column}-spellings", "", 0, column, message, text)


def unbalanced_labels(traces: Sequence[Trace]) -> Iterator[Problem]:
    """Nearly all pairs of an axis have one label: a model that prefers one side always looks biased there.

    Nangia et al. 2020 report the two labels apart for that reason. Pairs that were made from associations all say what
    respondents said, so that one label is all they can have: an axis of these alone is left out.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    labelled = [trace for trace in traces if trace.direction in ("stereo", "antistereo")]
    undecided = {t.axis for t in labelled if not t.associated or t.direction == "antistereo"}
    for trace in labelled:
        counts[trace.axis][trace.direction] += trace.axis in undecided
    for axis, labels in counts.items():
        n = labels.total()
        rare = min(labels["stereo"], labels["antistereo"])
        if n >= LEAST_PAIRS and rare / n < RARE_SHARE:
            message = (
                f"axis '{axis}': {labels['stereo']} pairs are labelled stereo and {labels['antistereo']} "
                "antistereo; report the two apart"
            )
            yield Problem("note", "unbalanced-labels", "", 0, "", message)


def undeclared_language(traces: Sequence[Trace]) -> Iterator[Problem]:
    """Without a language, nothing that depends on one is checked, and no estimate is made by language."""
    count = sum(trace.language == "und" for trace in traces)
    if count:
        message = (
            f"{count} pairs have no language, so checks of script and grammar were left out: say --language"
        )
        yield Problem("note", "undeclared-language", "", 0, "language", message)


def contrast_across_axes(traces: Sequence[Trace]) -> Iterator[Problem]:
    """One group is the contrast under several axes: it cannot be the counterpart of them all.

    Blodgett et al. 2021 on groups that are no counterparts of each other (nationality against skin colour).
    Only pairs that differ in one place are counted.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for trace in traces:
        if words(trace.contrast):
            counts[trace.contrast][trace.axis] += 1
    for contrast, axes in counts.items():
        common = [(axis, n) for axis, n in axes.most_common() if n >= LEAST_CONTRAST]
        if len(common) > 1:
            listed = ", ".join(f"{axis} ({n})" for axis, n in common)
            message = f"one group is the contrast under several axes: {listed}"
            yield Problem("note", "contrast-across-axes", "", 0, "", message, contrast)
