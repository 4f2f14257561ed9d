"""Harmful associations by language: about groups that are usual where it is spoken, or about marked groups?

Counts of harmful associations of chosen groups in one language are compared with those in the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from pydantic import BaseModel, ConfigDict

from endoxa.errors import UserError
from endoxa.instruments.stories.harm.raters import measured
from endoxa.instruments.stories.languages.presence import Presence
from endoxa.instruments.stories.prompt_language import Key, Tree, parse_tree, read_tree, require_known
from endoxa.runs.estimates import GROUPS_MOVED, adjusted, decided
from endoxa.runs.options import Resampling
from endoxa.schema import ALL
from endoxa.schema.stories import SHIFT_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.sources.stereotales.associations import PARTS
from endoxa.sources.stereotales.vocabulary import read_vocabulary
from endoxa.sources.toml import validated
from endoxa.stats.intervals import FEWEST_CLUSTERS, NAN, UNDEFINED, Interval, agreeing
from endoxa.stats.permutation import exchange_test, movable, single_column_test
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance, too_few

Value = tuple[str, str]
"""An attribute and one of its values."""
OURS = "groups.yaml"
UNMARKED, MARKED = "unmarked", "marked"
KINDS = (UNMARKED, MARKED)


Groups = Mapping[str, Sequence[Value]]
"""The groups of one language: `UNMARKED`, those that are taken for the usual case, and `MARKED`, who is set apart."""


def read_groups(path: Path | None = None, associations: pl.DataFrame | None = None) -> dict[str, Groups]:
    """The groups of a file, or those of the package; by language.

    Args:
        path: language, then `unmarked` and `marked`, then attributes with lists of values, each in full or without
            what stands in brackets.
        associations: associations with attributes or values of one's own, which the file may name beside StereoTales'.

    Raises:
        UserError: the file is no such YAML, an attribute or value is unknown, or a value is both marked and unmarked.
    """
    ours = files(__package__).joinpath(OURS)
    tree = read_tree(path) if path else parse_tree(ours.read_text("utf-8"), OURS)
    written = validated(dict[str, _Kinds], tree.values, str(path), f"{OURS} of the package is an example.")
    listed_values = _values_by_attribute(associations)
    groups: dict[str, Groups] = {}
    for language, kinds in written.items():
        named = {
            kind: tuple(_values(tree, (language, kind), getattr(kinds, kind), listed_values))
            for kind in KINDS
        }
        if twice := sorted(set(named[UNMARKED]) & set(named[MARKED])):
            here = tree.place((language, MARKED, twice[0][0]))
            raise UserError(f"{here}: '{twice[0][1]}' is both marked and unmarked: remove one.")
        groups[language] = named
    return groups


class _Kinds(BaseModel):
    model_config = ConfigDict(extra="forbid")

    unmarked: dict[str, tuple[str, ...]]
    marked: dict[str, tuple[str, ...]]


def _values(
    tree: Tree,
    key: Key,
    attributes: Mapping[str, Sequence[str]],
    listed_values: Mapping[str, Mapping[str, str]],
) -> Iterator[Value]:
    for attribute, values in attributes.items():
        require_known(attribute, listed_values, "attribute", str(tree.place((*key, attribute))))
        for number, value in enumerate(values, start=1):
            where = str(tree.place((*key, attribute, str(number))))
            require_known(value, listed_values[attribute], f"value of {attribute}", where)
            yield attribute, listed_values[attribute][value]


def _values_by_attribute(associations: pl.DataFrame | None) -> dict[str, dict[str, str]]:
    """For every attribute its values, by full name and by the name without brackets."""
    values_of = {
        listed.name: {name: value for value in listed.values for name in (value.partition(" (")[0], value)}
        for listed in read_vocabulary()
    }
    if associations is not None:
        for side in ("base", "compared"):
            for attribute, value in associations.select(f"{side}_attribute", f"{side}_value").iter_rows():
                values_of.setdefault(attribute, {}).setdefault(value, value)
    return values_of


CONTRAST = f"{MARKED} - {UNMARKED}"
RESOLUTION = 0.05
"""Half of the last digit of a number of associations that is printed."""
Names = tuple[str, str, str, str]
"""Language, kind of groups, attribute and value of a row."""


def shift(where: Presence, groups: Mapping[str, Groups], how: Resampling) -> pl.DataFrame:
    """Harmful associations with marked and unmarked groups in their language against the other languages.

    Returns:
        `schema.stories.SHIFT_COLUMNS`.

    Raises:
        UserError: none of the languages has groups.
    """
    languages = [name for name in where.members if name in groups]
    if not languages:
        raise UserError(
            f"No marked and unmarked groups for any of the languages {', '.join(where.members)}. Define them in a "
            "file, and give it with --groups."
        )
    present = where.present[where.harmful]
    named = list(_weights(where, languages, groups))
    # Exact for a language, by random exchanges for all of them together.
    overall = [here - elsewhere for (language, *_), (here, elsewhere) in named if language == ALL]
    drawn = iter(exchange_test(present, overall, seed=how.seed))
    rows = []
    for names, weights in named:
        change = weights[0] - weights[1]
        if names[0] == ALL:
            p_value = float(next(drawn))
        else:
            here = where.members.index(names[0])
            p_value = single_column_test(present, here, np.sign(change[:, here]))
        rows.append(_row(names, weights, present, p_value, how))
    claims = pl.DataFrame(rows, schema=_TYPES).with_columns(scope=scope())
    done = decided(
        adjusted(claims, GROUPS_MOVED), value="difference", confidence=how.confidence, resolution=RESOLUTION
    )
    kind = pl.when(pl.col("low").is_nan()).then(pl.lit("none")).otherwise(pl.lit("associations"))
    table = done.with_columns(interval=kind).select(*SHIFT_COLUMNS)
    return table.with_columns(pl.selectors.float().fill_nan(None))


def _weights(
    where: Presence, languages: Sequence[str], groups: Mapping[str, Groups]
) -> Iterator[tuple[Names, np.ndarray]]:
    """Language, kind, attribute and value of every row, and what the presence of associations adds to its sums.

    An association counts once for all groups of a kind. The weights have the shape (2, associations, languages): for
    the sum in the language, and for the mean of the sums in the others. Over all languages they are means.
    """
    sides = where.associations.filter(where.harmful).select(PARTS).rows()
    values_of = [{(base, value), (compared, other)} for base, value, compared, other in sides]

    def weights(language: str, values: Iterable[Value]) -> np.ndarray:
        touches = np.array([not of.isdisjoint(values) for of in values_of], dtype=bool)[:, None]
        home = np.array(where.members) == language
        return np.stack([touches * home, touches * ~home / (~home).sum()]).astype(float)

    every: dict[str, list[np.ndarray]] = {kind: [] for kind in (*KINDS, CONTRAST)}
    for language in languages:
        for kind in KINDS:
            every[kind].append(weights(language, groups[language][kind]))
            yield (language, kind, ALL, ALL), every[kind][-1]
            for value in groups[language][kind]:
                yield (language, kind, *value), weights(language, [value])
        every[CONTRAST].append(every[MARKED][-1] - every[UNMARKED][-1])
        yield (language, CONTRAST, ALL, ALL), every[CONTRAST][-1]
    for kind, several in every.items():
        yield (ALL, kind, ALL, ALL), np.mean(several, axis=0)


def scope() -> pl.Expr:
    """What a row is about: all languages, a language, or a single group."""
    overall = pl.when(pl.col("language") == ALL).then(pl.lit("all languages"))
    return overall.when(pl.col("attribute") == ALL).then(pl.lit("languages")).otherwise(pl.lit("groups"))


def _row(
    names: Names, weights: np.ndarray, present: np.ndarray, p_value: float, how: Resampling
) -> dict[str, Any]:
    here, elsewhere = (weights * present).sum(axis=2)
    shares = (weights * present / np.maximum(present.sum(axis=0), 1)).sum(axis=(1, 2))
    differs = measured((here - elsewhere)[:, None], lambda totals: totals[:, 0], how)
    rests_on = int(((here != 0) | (elsewhere != 0)).sum())
    units = movable(present, weights[0] - weights[1])
    reason = too_few(units, "associations", fewest_units(significance(how.confidence)))
    p_value = NAN if reason else p_value
    ends = Interval(differs.low, differs.high) if rests_on >= FEWEST_CLUSTERS else UNDEFINED
    ends = agreeing(ends, differs.value, 0.0, p_value, how.confidence)
    return {
        **dict(zip(("language", "group", "attribute", "value"), names, strict=True)),
        "here": float(here.sum()),
        "elsewhere": float(elsewhere.sum()),
        "difference": differs.value,
        "low": ends.low,
        "high": ends.high,
        "share_here": float(shares[0]),
        "share_elsewhere": float(shares[1]),
        "n": rests_on,
        "p_value": p_value,
        "neutral": 0.0,
        "confidence": how.confidence,
        "clusters": units,
        "reason": reason,
    }


_TYPES = column_types(
    SHIFT_COLUMNS,
    texts=("language", "group", "attribute", "value", "interval", "verdict", "reason"),
    counts=("n", "clusters"),
)
