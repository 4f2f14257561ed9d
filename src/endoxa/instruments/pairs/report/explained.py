"""What explains a preference: its share by length of the sentences, by direction, by flags, all on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from endoxa.instruments.pairs.report.headline import of_kinds
from endoxa.instruments.pairs.report.quoting import Preferences
from endoxa.instruments.pairs.report.results import PREFERENCE, Results
from endoxa.report.document import Figure, Section
from endoxa.report.figures import described, dot_figure
from endoxa.report.quoting import FEWEST
from endoxa.report.words import count, percent, plural, slug

MOST = 3
"""With more models and rules the box at the top names the largest differences instead."""

DOMAIN = (0.0, 1.0)
"""All figures share the whole scale: these shares differ more than those of axes."""

Groups = list[tuple[str, np.ndarray]]


def explained(results: Results, every: Sequence[Preferences]) -> Section | None:
    """The figures of few models and rules; None where there are more, or nothing differs."""
    if len(every) > MOST:
        return None
    figures = tuple(figure for preferences in every for figure in _figures(results, preferences))
    return Section(
        anchor=f"explained-{results.slug}",
        title="What else explains it",
        findings=tuple(of_kinds(results)),
        figures=figures,
        notes=(
            f"Bands: {results.level} intervals, identities and attributes taken as samples; none where they are too "
            "few. A filled dot differs from 50\u00a0% by a test of this row alone: a description, not corrected for "
            "the number of rows.",
        )
        if figures
        else (),
    )


def _figures(results: Results, preferences: Preferences) -> Iterator[Figure]:
    items = preferences.items
    length, unit = items["length"].to_numpy(), str(items["measure"][0])
    yield from _figure(results, preferences, "length", "By length of the sentences", _lengths(length, unit))
    direction = items["direction"].to_numpy()
    kinds = [
        ("states a stereotype", direction == "stereo"),
        ("contradicts a stereotype", direction == "antistereo"),
    ]
    yield from _figure(
        results, preferences, "direction", "Pairs that state or contradict a stereotype", kinds
    )
    flagged = items["flagged"].to_numpy()
    flags = [("flagged", flagged), ("not flagged", ~flagged)]
    yield from _figure(results, preferences, "flagged", "Pairs flagged by the dataset checks", flags)


def _lengths(length: np.ndarray, unit: str) -> Groups:
    """Pairs by how much longer the stereotypical sentence is."""
    if unit != "tokens":
        return [("shorter", length < 0), ("same length", length == 0), ("longer", length > 0)]
    return [
        ("2 or more tokens shorter", length <= -2),
        ("1 token shorter", length == -1),
        ("same length", length == 0),
        ("1 token longer", length == 1),
        ("2 or more tokens longer", length >= 2),
    ]


def _figure(
    results: Results, preferences: Preferences, name: str, title: str, groups: Groups
) -> Iterator[Figure]:
    """A row for each group of at least `FEWEST` pairs; nothing for a single one."""
    large = [(label, chosen) for label, chosen in groups if chosen.sum() >= FEWEST]
    if len(large) < 2:
        return
    shares = [(label, int(chosen.sum()), preferences.share(chosen)) for label, chosen in large]
    texts = [
        f"{label}: {percent(share.value)} of {plural(n, 'pair')}{share.ends}" for label, n, share in shares
    ]
    frame = pl.DataFrame(
        {
            "label": [label for label, _, _ in shares],
            "note": [f"{percent(share.value, 0)} of {count(n)}" for _, n, share in shares],
            "value": [share.value for _, _, share in shares],
            "low": [share.low for _, _, share in shares],
            "high": [share.high for _, _, share in shares],
            "outer_low": pl.Series([None] * len(shares), dtype=pl.Float64),
            "outer_high": pl.Series([None] * len(shares), dtype=pl.Float64),
            "filled": [share.side != 0 for _, _, share in shares],
            "tip": texts,
        }
    ).with_columns(pl.col("low", "high").fill_nan(None))
    left_out = sum(int(chosen.sum()) for _, chosen in groups) - sum(n for _, n, _ in shares)
    reading = (
        f"Share of pairs in which the stereotypical sentence is {preferences.word}; {preferences.label}."
    )
    if name == "length":
        reading += " Length is that of the stereotypical sentence beside the other one."
    if left_out:
        reading += f" Left out: {plural(left_out, 'pair')} in groups of fewer than {FEWEST}."
    yield dot_figure(
        frame,
        PREFERENCE,
        name=f"{name}-{results.slug}-{slug(preferences.label)}",
        title=title,
        alt=described(f"{title}, {preferences.label}, neutral 50 %", texts),
        domain=DOMAIN,
        reading=reading,
        wide=name == "length",
    )
