"""Harmful associations by language: about groups that are usual where it is spoken, or about marked groups?

Counts of harmful associations of chosen groups in one language are compared with those in the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.harm.raters import mean, measured
from endoxa.instruments.stories.languages.presence import Presence
from endoxa.instruments.stories.prompts.language import Tree, parse_tree, read_tree
from endoxa.runs.families import GROUPS_MOVED, adjusted, decided
from endoxa.runs.options import Resampling
from endoxa.schema import ALL
from endoxa.schema.stories import SHIFT_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.sources.stereotales import read_vocabulary
from endoxa.stats.intervals import FEWEST_CLUSTERS, NAN, Interval, agreeing
from endoxa.stats.permutation import exchange_test, movable, single_column_test
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance, too_few

Value = tuple[str, str]
"""An attribute and one of its values."""
OURS = "groups.yaml"
UNMARKED, MARKED = "unmarked", "marked"
KINDS = (UNMARKED, MARKED)


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of one language.

    Attributes:
        unmarked: who is taken for the usual case.
        marked: who is set apart.
    """

    unmarked: tuple[Value, ...]
    marked: tuple[Value, ...]

    def of(self, kind: str) -> tuple[Value, ...]:
        """The groups of a kind of `KINDS`."""
        return self.unmarked if kind == UNMARKED else self.marked


def read_groups(path: Path | None = None, associations: pl.DataFrame | None = None) -> dict[str, Groups]:
    """The groups of a file, or those of the package; by language.

    Args:
        path: language, then `unmarked` and `marked`, then attributes with lists of values, each in full or without
            what stands in brackets.
        associations: associations with attributes or values of one's own, which the file may name beside StereoTales'.

    Raises:
        UserError: the file is no such YAML, an attribute or value is unknown, or a value is both marked and unmarked.
    """
    if path is None:
        tree = parse_tree(
            files("endoxa.instruments.stories.languages").joinpath(OURS).read_text("utf-8"), OURS
        )
    else:
        tree = read_tree(path)
    vocabulary = _values_by_attribute(associations)
    return {language: _groups(tree, language, vocabulary) for language in tree.values}


def _groups(tree: Tree, language: str, vocabulary: Mapping[str, Mapping[str, str]]) -> Groups:
    kinds = tree.values[language]
    if not isinstance(kinds, Mapping) or set(kinds) != set(KINDS):
        raise UserError(
            f"{tree.place((language,))}: '{language}' needs '{UNMARKED}' and '{MARKED}', only these."
        )
    unmarked, marked = (tuple(_values(tree, (language, kind), kinds[kind], vocabulary)) for kind in KINDS)
    twice = sorted(set(unmarked) & set(marked))
    if twice:
        attribute, value = twice[0]
        raise UserError(
            f"{tree.place((language, MARKED, attribute))}: '{value}' is both marked and unmarked: remove one."
        )
    return Groups(unmarked, marked)


def _values(
    tree: Tree, key: tuple[str, ...], attributes: Any, vocabulary: Mapping[str, Mapping[str, str]]
) -> Iterator[Value]:
    if not isinstance(attributes, Mapping):
        raise UserError(f"{tree.place(key)}: '{key[-1]}' needs attributes, each with a list of values.")
    for attribute, values in attributes.items():
        here = tree.place((*key, attribute))
        if attribute not in vocabulary:
            raise UserError(f"{here}: there is no attribute '{attribute}'.{_hint(attribute, vocabulary)}")
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise UserError(
                f"{here}: '{attribute}' needs a list of values, as in [{next(iter(vocabulary[attribute]))}]."
            )
        for number, value in enumerate(values, start=1):
            if value not in vocabulary[attribute]:
                place = tree.place((*key, attribute, str(number)))
                raise UserError(
                    f"{place}: '{attribute}' has no value '{value}'.{_hint(value, vocabulary[attribute])}"
                )
            yield attribute, vocabulary[attribute][value]


def _values_by_attribute(associations: pl.DataFrame | None) -> dict[str, dict[str, str]]:
    """For every attribute its values, by full name and by the name without brackets."""
    values_of = {
        listed.name: (
            {value.partition(" (")[0]: value for value in listed.values}
            | {value: value for value in listed.values}
        )
        for listed in read_vocabulary()
    }
    if associations is None:
        return values_of
    for side in ("base", "compared"):
        for attribute, value in associations.select(f"{side}_attribute", f"{side}_value").iter_rows():
            values_of.setdefault(attribute, {}).setdefault(value, value)
    return values_of


def _hint(word: str, words: Mapping[str, object]) -> str:
    near = get_close_matches(word, words, n=3) or list(words)
    return f" Did you mean: {', '.join(near)}?"


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """What a language moves, before it is summed up.

    Attributes:
        here: what each harmful association adds in the language.
        elsewhere: what it adds on average over the other languages.
        by_model: for each model, its associations in the language minus the average of its other languages; or NaN.
        shares: of all harmful associations of the language, and the mean of that over the others.
        weights: what each association's presence in each language adds to here less elsewhere.
    """

    here: np.ndarray
    elsewhere: np.ndarray
    by_model: np.ndarray
    shares: tuple[float, float]
    weights: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Harms:
    """Harmful associations.

    Attributes:
        values: the two values of each.
        present: whether a language has it, shape (associations, languages).
        shown: the same for each model, shape (associations, languages, models).
        writes: whether a model shows anything in a language, shape (languages, models).
    """

    values: tuple[frozenset[Value], ...]
    present: np.ndarray
    shown: np.ndarray
    writes: np.ndarray

    @classmethod
    def of(cls, where: Presence) -> Harms:
        """The harmful ones among some associations."""
        rows = where.associations.filter(where.harmful).iter_rows(named=True)
        values = tuple(
            frozenset(
                (
                    (row["base_attribute"], row["base_value"]),
                    (row["compared_attribute"], row["compared_value"]),
                )
            )
            for row in rows
        )
        return cls(
            values,
            where.present[where.harmful],
            where.shown[where.harmful],
            np.asarray(where.shown.any(axis=0)),
        )

    def moved(self, chosen: frozenset[Value], here: int) -> Moved:
        """Associations with any of the chosen values, in a language and in the others."""
        touches = np.array([not chosen.isdisjoint(values) for values in self.values], dtype=bool)
        counted = self.present & touches[:, None]
        others = np.arange(self.present.shape[1]) != here
        totals = self.present.sum(axis=0)
        shares = np.divide(
            counted.sum(axis=0), totals, out=np.full(len(totals), NAN), where=totals > 0, dtype=float
        )
        counts = self.shown[touches].sum(axis=0).astype(float)
        wrote = self.writes[others].sum(axis=0)
        summed = np.where(self.writes[others], counts[others], 0).sum(axis=0)
        average = np.divide(summed, wrote, out=np.full(len(wrote), NAN), where=wrote > 0)
        return Moved(
            counted[:, here].astype(float),
            counted[:, others].mean(axis=1),
            np.where(self.writes[here], counts[here] - average, NAN),
            (float(shares[here]), _defined_mean(shares[others])),
            touches[:, None] * np.where(others, -1 / others.sum(), 1.0),
        )


def contrast(first: Moved, other: Moved) -> Moved:
    """The first less the second."""
    return Moved(
        first.here - other.here,
        first.elsewhere - other.elsewhere,
        first.by_model - other.by_model,
        (first.shares[0] - other.shares[0], first.shares[1] - other.shares[1]),
        first.weights - other.weights,
    )


def average(several: Sequence[Moved]) -> Moved:
    """The mean over languages; a model's mean is over the languages in which it is defined."""
    by_model = np.array([moved.by_model for moved in several])
    return Moved(
        np.mean([moved.here for moved in several], axis=0),
        np.mean([moved.elsewhere for moved in several], axis=0),
        np.array([_defined_mean(model) for model in by_model.T]),
        (
            _defined_mean(np.array([moved.shares[0] for moved in several])),
            _defined_mean(np.array([moved.shares[1] for moved in several])),
        ),
        np.mean([moved.weights for moved in several], axis=0),
    )


def _defined_mean(values: np.ndarray) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else NAN


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
            "file, "
            "and give it with --groups."
        )
    harms, members = Harms.of(where), where.members
    named = list(_moves(harms, members, languages, groups))
    needed = fewest_units(significance(how.confidence))
    # Exact for a language, by random exchanges for all of them together.
    overall = [change.weights for (language, *_), change in named if language == ALL]
    drawn = iter(exchange_test(harms.present, overall, seed=how.seed))
    rows = []
    for names, change in named:
        row, units = _row(names, change, how), movable(harms.present, change.weights)
        if names[0] == ALL:
            p_value = next(drawn)
        else:
            here = members.index(names[0])
            p_value = single_column_test(harms.present, here, np.sign(change.weights[:, here]))
        reason = too_few(units, "associations", needed)
        p_value = NAN if reason else float(p_value)
        ends = Interval(row["low"], row["high"])
        ends = agreeing(ends, row["difference"], 0.0, p_value, how.confidence)
        row |= {"low": ends.low, "high": ends.high, "p_value": p_value, "clusters": units, "reason": reason}
        rows.append(row)
    claims = pl.DataFrame(rows, schema=_TYPES).with_columns(
        neutral=pl.lit(0.0), confidence=pl.lit(how.confidence), scope=scope()
    )
    done = decided(
        adjusted(claims, GROUPS_MOVED),
        value="difference",
        confidence=how.confidence,
        resolution=RESOLUTION,
    )
    kind = pl.when(pl.col("low").is_nan()).then(pl.lit("none")).otherwise(pl.lit("associations"))
    table = done.with_columns(interval=kind).select(*SHIFT_COLUMNS)
    return table.with_columns(pl.selectors.float().fill_nan(None))


def _moves(
    harms: Harms, members: Sequence[str], languages: Sequence[str], groups: Mapping[str, Groups]
) -> Iterator[tuple[Names, Moved]]:
    """Language, kind, attribute and value of every row, and what is moved."""
    moved = dict[str, list[Moved]]()
    for language in languages:
        here = members.index(language)
        for kind in KINDS:
            values = groups[language].of(kind)
            moved.setdefault(kind, []).append(harms.moved(frozenset(values), here))
            yield (language, kind, ALL, ALL), moved[kind][-1]
            for value in values:
                yield (language, kind, *value), harms.moved(frozenset((value,)), here)
        yield (language, CONTRAST, ALL, ALL), contrast(moved[MARKED][-1], moved[UNMARKED][-1])
    overall = {kind: average(moved[kind]) for kind in KINDS}
    overall[CONTRAST] = contrast(overall[MARKED], overall[UNMARKED])
    for kind, change in overall.items():
        yield (ALL, kind, ALL, ALL), change


def scope() -> pl.Expr:
    """What a row is about: all languages, a language, or a single group."""
    overall = pl.when(pl.col("language") == ALL).then(pl.lit("all languages"))
    return overall.when(pl.col("attribute") == ALL).then(pl.lit("languages")).otherwise(pl.lit("groups"))


def _row(names: Names, change: Moved, how: Resampling) -> dict[str, Any]:
    language, kind, attribute, value = names
    differs = measured((change.here - change.elsewhere)[:, None], lambda totals: totals[:, 0], how)
    rests_on = int(((change.here != 0) | (change.elsewhere != 0)).sum())
    enough = rests_on >= FEWEST_CLUSTERS
    per_model = mean(change.by_model, how)
    return {
        "language": language,
        "group": kind,
        "attribute": attribute,
        "value": value,
        "here": float(change.here.sum()),
        "elsewhere": float(change.elsewhere.sum()),
        "difference": differs.value,
        "low": differs.low if enough else NAN,
        "high": differs.high if enough else NAN,
        "share_here": change.shares[0],
        "share_elsewhere": change.shares[1],
        "n": rests_on,
        "models": int((~np.isnan(change.by_model)).sum()),
        "per_model": per_model.value,
        "per_model_low": per_model.low,
        "per_model_high": per_model.high,
    }


_TYPES = column_types(
    SHIFT_COLUMNS,
    texts=("language", "group", "attribute", "value", "interval", "verdict", "reason"),
    counts=("n", "models", "clusters"),
)
