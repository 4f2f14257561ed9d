"""Does a language move harmful associations from the groups that are usual where it is spoken to those set apart?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from endoxa.analyze.harm.measures import Measured, Resampling, mean, measured
from endoxa.analyze.specificity.groups import KINDS, MARKED, UNMARKED, Groups, Value
from endoxa.analyze.specificity.moved import Harms, Moved, average, contrast
from endoxa.analyze.specificity.presence import Presence, presence
from endoxa.errors import UserError
from endoxa.schema import ALL
from endoxa.schema.stories import SHIFT_COLUMNS
from endoxa.stats.intervals import FEWEST_CLUSTERS

CONTRAST = f"{MARKED} - {UNMARKED}"


def shift(
    found: pl.DataFrame,
    harmful: pl.DataFrame,
    groups: Mapping[str, Groups],
    *,
    models: int = 1,
    members: Sequence[str] = (),
    how: Resampling | None = None,
) -> pl.DataFrame:
    """Harmful associations with marked and unmarked groups in their language against the other languages.

    An association is with a group that is its base or its compared value; it counts once for all groups of a kind.

    Args:
        found: see `endoxa.analyze.specificity.presence`, as the others.
        harmful: which are harmful.
        groups: see `endoxa.analyze.specificity.read_groups`; languages without associations are left out.
        models: models that must find an association in a language.
        members: languages that have stories even where nothing was found.
        how: how intervals are made.

    Returns:
        `schema.stories.SHIFT_COLUMNS`.

    Raises:
        UserError: none of the languages has groups.
    """
    where = presence(found, harmful, models=models, members=members)
    return shift_of(where, groups, how or Resampling())


def shift_of(where: Presence, groups: Mapping[str, Groups], how: Resampling) -> pl.DataFrame:
    """`shift` of what is already in order."""
    languages = [name for name in where.members if name in groups]
    if not languages:
        raise UserError(
            f"None of the languages {', '.join(where.members)} has marked and unmarked groups: name them in a file, "
            "and give it by --groups."
        )
    harms = Harms.of(where)
    rows, moved = list[dict[str, Any]](), dict[str, list[Moved]]()
    for language in languages:
        here = where.members.index(language)
        for kind in KINDS:
            for attribute, value, chosen in _levels(groups[language].of(kind)):
                one = harms.moved(chosen, here)
                if attribute == ALL:
                    moved.setdefault(kind, []).append(one)
                rows.append(_row((language, kind, attribute, value), one, how))
        rows.append(
            _row((language, CONTRAST, ALL, ALL), contrast(moved[MARKED][-1], moved[UNMARKED][-1]), how)
        )
    overall = {kind: average(moved[kind]) for kind in KINDS}
    overall[CONTRAST] = contrast(overall[MARKED], overall[UNMARKED])
    rows += [_row((ALL, kind, ALL, ALL), one, how) for kind, one in overall.items()]
    return pl.DataFrame(rows, schema=_TYPES).with_columns(pl.selectors.float().fill_nan(None))


def _levels(values: Sequence[Value]) -> Iterator[tuple[str, str, frozenset[Value]]]:
    """All groups of a kind together, and each by itself."""
    yield ALL, ALL, frozenset(values)
    for attribute, value in values:
        yield attribute, value, frozenset(((attribute, value),))


def _row(names: tuple[str, str, str, str], one: Moved, how: Resampling) -> dict[str, Any]:
    language, kind, attribute, value = names
    differs = _total(one.here - one.elsewhere, how)
    rests_on = int(((one.here != 0) | (one.elsewhere != 0)).sum())
    enough = rests_on >= FEWEST_CLUSTERS
    per_model = mean(one.by_model, how)
    return {
        "language": language,
        "group": kind,
        "attribute": attribute,
        "value": value,
        "here": float(one.here.sum()),
        "elsewhere": float(one.elsewhere.sum()),
        "difference": differs.value,
        "low": differs.low if enough else None,
        "high": differs.high if enough else None,
        "share_here": one.shares[0],
        "share_elsewhere": one.shares[1],
        "n": rests_on,
        "models": int((~np.isnan(one.by_model)).sum()),
        "per_model": per_model.value,
        "per_model_low": per_model.low,
        "per_model_high": per_model.high,
    }


def _total(added: np.ndarray, how: Resampling) -> Measured:
    """A sum over all harmful associations; those without the group take part, so that how many have it varies too."""
    return measured(added[:, None], lambda totals: totals[:, 0], how)


_TEXT, _WHOLE = ("language", "group", "attribute", "value"), ("n", "models")
_TYPES = {
    name: pl.String() if name in _TEXT else pl.Int64() if name in _WHOLE else pl.Float64()
    for name in SHIFT_COLUMNS
}
