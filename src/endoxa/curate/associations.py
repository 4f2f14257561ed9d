"""Associations: what is said of which group, by how many people, traceable to the statements behind it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from endoxa.curate.carrying import further_columns, not_carried, with_common_columns
from endoxa.curate.disclosure import choices
from endoxa.curate.mentions import WORKING_LANGUAGE, language_of_words, mentions
from endoxa.errors import UserError
from endoxa.schema import ASSOCIATION_COLUMNS

TRACE_COLUMNS: dict[str, str] = {
    "group_id": "the group of like attributes, or empty",
    "statement_ids": "the statements behind it, separated by blanks",
    "predicate": "'copula' where people said 'are ...', 'have' where 'have ...', 'verb' where another verb, or empty",
}
"""Columns that follow those of `schema.ASSOCIATION_COLUMNS`."""

_COPULAS = "are|is|were|was|be|being|been|sont|est|son|es|están|está|são|é|estão|está|ni"
_UNNAMED = ("other", "unspecified")
"""Axes that say less than any other."""

_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Associations:
    """What was made of the statements.

    Attributes:
        table: columns of `schema.ASSOCIATION_COLUMNS`, then of `TRACE_COLUMNS`, then further ones of the statements
            in which all of them agree (`endoxa.curate.carrying`).
        left_out: how many statements were left out, by reason.
        rare: how many associations were left out because fewer than `min_support` respondents said them.
        notes: what was assumed, as sentences.
    """

    table: pl.DataFrame
    left_out: Mapping[str, int]
    rare: int
    notes: tuple[str, ...]


def association_id(identity: str, attribute: str, axis: str, region: str, source: str) -> str:
    """Name of an association: the same for the same five texts, whatever else the table holds.

    'a' and the first 12 hexadecimal digits of SHA-256: among 100,000 associations, two share a name with a
    probability of 2 in 100,000.
    """
    key = "\x1f".join((identity, attribute, axis, region, source))
    return "a" + hashlib.sha256(key.encode()).hexdigest()[:12]


def associations(
    statements: pl.DataFrame,
    groups: pl.DataFrame | None = None,
    *,
    source: str = "",
    by_country: bool = False,
    by_axis: bool = False,
    min_support: int = 1,
    include_flagged: bool = False,
    polarity: Callable[[str], str] | None = None,
) -> Associations:
    """One association per identity, group of attributes and source.

    What was said under several axes stands under the one where most respondents said it, once, with all who said
    it: counted apart, its support would be too low, and two pairs would be the same. The id does not know the axis
    then, so that it survives when new answers move the association to another one.

    Support is the number of different respondents: who says a thing five times, or pastes a chatbot's answer,
    counts once.

    Args:
        statements: columns of `schema.STATEMENT_COLUMNS`; only identity and attribute are required.
        groups: columns of `schema.GROUP_COLUMNS`; without it every attribute stands for itself.
        source: name of the survey, where the statements do not say it themselves.
        by_country: one association per country, which then is its region and part of its id.
        by_axis: one association per axis, which then is part of its id.
        min_support: fewest respondents an association needs.
        include_flagged: count statements flagged as a chatbot's too.
        polarity: polarity of an English attribute where the grouping gives none; `endoxa.curate.polarity` by
            default. In other languages it is neutral then.

    Raises:
        UserError: no statement is left, the grouping contradicts itself, or countries are asked for that the
            table does not have.
    """
    if by_country and "country" not in statements.columns:
        raise UserError("The table has no column 'country'. Leave out --by country.")
    mentioned = mentions(statements, groups, source=source, include_flagged=include_flagged)
    table = _with_place(mentioned.table, by_country=by_country).with_columns(
        _language=language_of_words(mentioned.table)
    )
    keys = [*(["axis"] if by_axis else []), "identity", "attribute", "source", "_place"]
    moved = [] if by_axis else _moved(table, keys)
    rated = polarity or _polarity()
    joined = _predicates(table)
    rows = [
        _association(dict(zip(keys, map(str, key), strict=True)), part, rated, joined)
        for key, part in table.group_by(keys, maintain_order=True)
    ]
    kept = [row for row in rows if int(row["support"]) >= min_support]
    complete = pl.DataFrame(kept, schema=dict.fromkeys((*ASSOCIATION_COLUMNS, *TRACE_COLUMNS), pl.String))
    order = complete.sort(
        ["axis", "identity", pl.col("support").cast(pl.Int64), "attribute", "association_id"],
        descending=[False, False, True, False, False],
    )
    further = further_columns(statements, (*ASSOCIATION_COLUMNS, *TRACE_COLUMNS))
    carried, others = with_common_columns(order, statements, further)
    notes = (*mentioned.notes, *moved, *not_carried(others, "associations"))
    return Associations(carried, mentioned.left_out, len(rows) - len(kept), notes)


def _polarity() -> Callable[[str], str]:
    from endoxa.curate.polarity import polarity

    return polarity


def _with_place(table: pl.DataFrame, *, by_country: bool) -> pl.DataFrame:
    """A row per country named in the cell, where associations are made by country."""
    if "country" not in table.columns:
        table = table.with_columns(country=pl.lit(""))
    countries = [list(choices(cell)) or [""] for cell in table["country"]]
    table = table.with_columns(_countries=pl.Series(countries, dtype=pl.List(pl.String)))
    if by_country:
        return table.with_columns(_place=pl.col("_countries")).explode("_place")
    return table.with_columns(_place=pl.lit(""))


def _association(
    key: Mapping[str, str], part: pl.DataFrame, rated: Callable[[str], str], joined: _Joined
) -> dict[str, str]:
    place = key["_place"]
    countries = {place} if place else {name for cell in part["_countries"] for name in cell}
    written_polarity, language = (_most_common(part[name].to_list()) for name in ("polarity", "_language"))
    name = association_id(key["identity"], key["attribute"], key.get("axis", ""), place, key["source"])
    attribute = key["attribute"]
    return {
        "association_id": name,
        "identity": key["identity"],
        "attribute": key["attribute"],
        "axis": key.get("axis") or _axis(part),
        "region": "; ".join(sorted(countries - {""})),
        "language": language,
        "polarity": written_polarity
        or (rated(key["attribute"]) if language == WORKING_LANGUAGE else "neutral"),
        "source": key["source"],
        "support": str(part["person"].n_unique()),
        "group_id": _most_common(part["group_id"].to_list()),
        "statement_ids": " ".join(sorted(set(part["statement_id"].to_list()) - {""})),
        "predicate": _most_common(
            joined.get((key["identity"], attribute)) or joined.get(("", attribute), ())
        ),
    }


def _axis(part: pl.DataFrame) -> str:
    """The axis of most respondents; among equals one with a name, of most statements, the first by alphabet."""
    counts = part.group_by("axis").agg(
        pl.col("person").n_unique(),
        pl.len().alias("statements"),
        unnamed=pl.col("axis").is_in(_UNNAMED).first(),
    )
    order = counts.sort(["person", "unnamed", "statements", "axis"], descending=[True, False, True, False])
    return str(order["axis"][0])


def _moved(table: pl.DataFrame, keys: Sequence[str]) -> list[str]:
    """How many associations were said under several axes, as a sentence."""
    several = table.group_by(keys).agg(pl.col("axis").n_unique()).filter(pl.col("axis") > 1).height
    sentence = f"{several} associations were reported under several axes: each gets the axis with the most respondents"
    return [f"{sentence} (--by axis keeps them apart)."] if several else []


def _most_common(cells: Sequence[str | None]) -> str:
    """The most frequent text that is not empty, the first by alphabet among equals; or empty."""
    counts = Counter(cell for cell in cells if cell)
    return min(counts, key=lambda cell: (-counts[cell], cell), default="")


_Joined = Mapping[tuple[str, str], Sequence[str]]


def _predicates(table: pl.DataFrame) -> _Joined:
    """How identity and attribute were joined by those who said it in the canonical words.

    Under (identity, attribute), and under ("", attribute) for the attribute with whatever identity.
    """
    unchanged = table.filter(pl.col("said") == pl.col("attribute")).with_columns(
        pl.lit("").alias(name) for name in ("statement", "verb") if name not in table.columns
    )
    by_pair: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for verb, text, identity, attribute in unchanged.select(
        "verb", "statement", "identity", "attribute"
    ).iter_rows():
        how = verb or predicate(text or "", identity, attribute)
        by_pair[identity, attribute].append(how)
        by_pair["", attribute].append(how)
    return by_pair


def predicate(statement: str, identity: str, attribute: str) -> str:
    """How a statement joins identity and attribute.

    'copula' where it has "are" (or its like) before the attribute, 'verb' where the attribute follows the identity at
    once, else an empty text ("Old people are wise, grumpy" says nothing about "grumpy").
    """
    text = _SPACES.sub(" ", re.sub(r"[‘’`´]", "'", statement)).strip().lower()
    words = re.escape(_SPACES.sub(" ", attribute.lower()).strip())
    if not words or not text:
        return ""
    if re.search(rf"\b(?:{_COPULAS})(?: (?:very|so|really|all|also|just|always|\w+ly))* {words}\b", text):
        return "copula"
    last = re.escape(identity.lower().split()[-1]) if identity.split() else ""
    return "verb" if last and re.search(rf"\b{last} {words}(?!\w)", text) else ""
