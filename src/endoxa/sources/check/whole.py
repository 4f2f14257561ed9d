"""Checks that need the whole file: duplicates, balance of labels, groups across axes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from endoxa.sources.check.problems import Item, Problem, join
from endoxa.sources.identities import spellings
from endoxa.sources.spans import words

RARE_SHARE = 0.10
"""Share of the rarer label under which an axis counts as unbalanced."""

LEAST_PAIRS = 20
"""Labelled pairs an axis needs before its balance is judged."""

LEAST_CONTRAST = 5
"""Pairs of an axis in which a group must be the contrast to count as a contrast there."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What is kept of a pair until the end of the file."""

    item_id: str
    row: int
    id_column: str
    axis: str
    direction: str
    language: str
    more: int
    less: int
    contrast: str
    associated: bool
    identity: str

    @classmethod
    def of(cls, item: Item) -> Trace:
        """Texts are kept as hashes of their words, so that a million pairs fit in memory."""
        keys = [hash(" ".join(word.folded for word in side)) for side in (item.more, item.less)]
        other = 0 if item.cell("stereotypical") == "less" else 1
        changed = (
            [replacement.sides[other] for replacement in item.replacements] if item.compares_groups else []
        )
        return cls(
            item_id=item.cell("item_id"),
            row=item.draft.row,
            id_column=item.draft.column("item_id"),
            axis=item.cell("axis"),
            direction=item.cell("direction"),
            language=item.cell("language"),
            more=keys[0],
            less=keys[1],
            contrast=join(changed[0]).casefold() if len(changed) == 1 else "",
            associated=bool(item.cell("association_id")),
            identity=item.cell("identity"),
        )


def duplicate_ids(traces: Sequence[Trace]) -> Iterator[Problem]:
    """Two pairs of one name: records and estimates could not be told apart."""
    first: dict[str, int] = {}
    for trace in traces:
        if trace.item_id in first:
            message = f"is also the id of row {first[trace.item_id]}; ids must be unique"
            yield Problem("error", "duplicate-id", trace.item_id, trace.row, trace.id_column, message)
        first.setdefault(trace.item_id, trace.row)


def duplicate_pairs(traces: Sequence[Trace]) -> Iterator[Problem]:
    """The same two sentences again, as they are or with sides swapped: counted twice, or against itself.

    Case and punctuation are not compared.
    """
    first: dict[tuple[int, int], int] = {}
    for trace in traces:
        key, swapped = (trace.more, trace.less), (trace.less, trace.more)
        if key in first:
            message = f"is the same pair as row {first[key]}: it is counted twice"
            yield Problem("warning", "duplicate-pair", trace.item_id, trace.row, "", message)
        elif swapped in first:
            message = f"is the pair of row {first[swapped]} with its sides swapped: the two cancel out"
            yield Problem("warning", "reversed-pair", trace.item_id, trace.row, "", message)
        first.setdefault(key, trace.row)


def identity_spellings(traces: Sequence[Trace]) -> Iterator[Problem]:
    """One identity is written in several ways: it counts as one in every estimate, and shows one of them."""
    yield from several_spellings([trace.identity for trace in traces])


def several_spellings(identities: Sequence[str]) -> Iterator[Problem]:
    """A problem for each identity that is written in several ways; see `endoxa.sources.identities`."""
    for counts in spellings(pl.Series(identities, dtype=pl.String)).values():
        message = f"one identity is written in {len(counts)} ways and counts as one"
        text = ", ".join(ascii(name) for name in counts)
        yield Problem("note", "identity-spellings", "", 0, "identity", message, text)


def unbalanced_labels(traces: Sequence[Trace]) -> Iterator[Problem]:
    """Nearly all pairs of an axis have one label: a model that prefers one side always looks biased there.

    Nangia et al. 2020 report the two labels apart for that reason. Pairs that were made from associations all say what
    respondents said, so that one label is all they can have: an axis of these alone is left out.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    labelled = [trace for trace in traces if trace.direction in ("stereo", "antistereo")]
    open_to_both = {t.axis for t in labelled if not t.associated or t.direction == "antistereo"}
    for trace in labelled:
        counts[trace.axis][trace.direction] += trace.axis in open_to_both
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
