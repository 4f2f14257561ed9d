"""Associations: what is said of which group, by how many people, traceable to the statements behind it.

Mentions: the statements that count, each with the group of attributes it belongs to.

Associations and the summary are both counted on this table, so their numbers agree.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from endoxa.curate.cells import plain_cell, trimmed
from endoxa.curate.normalise.identity import IDENTITY_KEY, with_identity_keys
from endoxa.curate.polarity import polarity
from endoxa.curate.summary import (
    choices,
    further_columns,
    most_common,
    not_carried,
    with_common_columns,
)
from endoxa.errors import UserError
from endoxa.schema import ASSOCIATION_COLUMNS
from endoxa.schema.provenance import BUILT_BY, PROVENANCE_COLUMNS, WORDS, words_cell, words_of_cells
from endoxa.sources.identities import identity_key, merged, spellings, with_shown_spelling
from endoxa.sources.typography import unseen_removed
from endoxa.words.packs import words_of
from endoxa.words.patterns import COPULA, set_of
from endoxa.words.people import plain

OMITTED = "proposed for omission"
NO_IDENTITY = "without an identity"
NO_ATTRIBUTE = "without an attribute"
FLAGGED = "flagged as pasted from a chatbot (--include-flagged takes them)"

CHATBOT = "chatbot"
"""Word of the column `flag` for statements that a respondent did not write."""

MENTION_COLUMNS: dict[str, str] = {
    "axis": "social axis, 'unspecified' where the table names none",
    "identity": "the group of people",
    "attribute": "the canonical attribute of the group of like attributes",
    "said": "the attribute as it was said",
    "group_id": "the group of like attributes, or empty",
    "polarity": "polarity that the grouping gives it, or empty",
    "source": "the survey or campaign",
    "person": "who said it: one key per respondent and source",
    "statement_id": "the statement, or empty",
}
"""Columns of a table of mentions; all columns of the statements follow under their own names."""

WORKING_LANGUAGE = "en"
"""Language of identity and attribute where the statement was translated, or the table does not say."""

_SHARE = 0.5
_SPELT = ("identity", "attribute")
_TRUE = ("true", "1", "yes")
AGREEMENT = "agreement"
"""Column of the gender that words before a group show ('f' or 'm'); there where one is known."""
_OPTIONAL = (
    *("axis", "respondent", "statement_id", "omit", "flag", "source", "region"),
    *(IDENTITY_KEY, AGREEMENT, BUILT_BY, WORDS),
)


@dataclass(frozen=True, slots=True)
class Mentions:
    """Statements that count.

    Attributes:
        table: columns of `MENTION_COLUMNS`, one row per statement that counts, in the order of the statements.
        left_out: how many rows were left out, by reason.
        notes: what was assumed, as sentences.
    """

    table: pl.DataFrame
    left_out: Mapping[str, int]
    notes: tuple[str, ...]


def mentions(
    statements: pl.DataFrame,
    groups: pl.DataFrame | None = None,
    *,
    source: str = "",
    include_flagged: bool = False,
) -> Mentions:
    """The statements that count, each with its canonical attribute.

    Left out are rows whose column `omit` is true, rows without identity or attribute and, unless asked for, rows
    flagged as a chatbot's: nobody said those. A row without a respondent counts as a respondent of its own.

    A grouping holds for the languages it was made from: English for what was translated, else the language of the
    statement. These are the language with most attributes in it, and any other with at least half of its own in it;
    so a French "hypocrites" is not taken for the English word.

    Args:
        statements: columns of `schema.STATEMENT_COLUMNS`; only identity and attribute are required.
        groups: columns of `schema.GROUP_COLUMNS`; without it every attribute stands for itself.
        source: name of the survey, where the statements have no column `source` or an empty cell in it.
        include_flagged: count rows flagged as a chatbot's too.

    Raises:
        UserError: the grouping puts one attribute into two groups, or nothing is left to count.
    """
    table = _completed(statements, source)
    reason = _reason(include_flagged=include_flagged)
    counted = table.with_columns(reason.alias("_reason"))
    left_out = dict(Counter(counted["_reason"].drop_nulls()).most_common())
    kept = counted.filter(pl.col("_reason").is_null()).drop("_reason")
    if kept.is_empty():
        listed = ", ".join(f"{n} {why}" for why, n in left_out.items())
        raise UserError(f"No statement left to count. Of {table.height} rows, {listed}.")
    notes = [sentence for name in _SPELT if (sentence := merged(spellings(kept[name]), name))]
    for name in _SPELT:
        kept = with_shown_spelling(kept, name)
    grouped, missing = _grouped(kept, groups)
    if missing:
        notes.append(f"{missing} attributes are not in the grouping and stand for themselves.")
    unnamed = kept.filter(pl.col("respondent") == "").height
    if unnamed:
        notes.append(f"{unnamed} statements without a respondent: each counts as one respondent.")
    # The columns of `MENTION_COLUMNS` first;.
    named = pl.concat_str("source", "respondent", separator="\x1f")
    alone = pl.concat_str(pl.lit("row\x1f"), pl.int_range(pl.len()).cast(pl.String))
    person = pl.when(pl.col("respondent") == "").then(alone).otherwise(named)
    return Mentions(
        grouped.with_columns(person=person).select(*MENTION_COLUMNS, pl.exclude(*MENTION_COLUMNS)),
        left_out,
        tuple(notes),
    )


def _completed(statements: pl.DataFrame, source: str) -> pl.DataFrame:
    named = trimmed(statements, ("identity", "attribute", *_OPTIONAL))
    return statements.with_columns(named).with_columns(
        axis=_or(pl.col("axis").str.to_lowercase(), "unspecified"), source=_or(pl.col("source"), source)
    )


def _or(cell: pl.Expr, default: str) -> pl.Expr:
    return pl.when(cell == "").then(pl.lit(default)).otherwise(cell)


def _reason(*, include_flagged: bool) -> pl.Expr:
    reasons = {
        OMITTED: pl.col("omit").str.to_lowercase().is_in(_TRUE),
        NO_IDENTITY: pl.col("identity") == "",
        NO_ATTRIBUTE: pl.col("attribute") == "",
        FLAGGED: pl.col("flag").str.split(" ").list.contains(CHATBOT) & pl.lit(not include_flagged),
    }
    return pl.coalesce(pl.when(holds).then(pl.lit(why)) for why, holds in reasons.items())


def _grouped(kept: pl.DataFrame, groups: pl.DataFrame | None) -> tuple[pl.DataFrame, int]:
    """The statements with said, attribute (canonical), group_id and polarity; how many attributes have no group."""
    ours = pl.exclude("said", "person", "group_id", "canonical", "polarity")
    reported = kept.select(ours).rename({"attribute": "said"})
    if groups is None:
        return reported.with_columns(attribute=pl.col("said"), group_id=pl.lit(""), polarity=pl.lit("")), 0
    keyed = reported.with_columns(
        _key=pl.col("said").map_elements(identity_key, pl.String), _language=language_of_words(reported)
    )
    lookup = _lookup(groups)
    joined = keyed.join(lookup, on="_key", how="left", maintain_order="left")
    # The languages that a grouping was made from.
    listed = pl.col("_key").is_in(lookup["_key"].implode())
    shares = (
        keyed.select("_language", "_key")
        .unique()
        .group_by("_language")
        .agg(listed.sum().alias("n"), listed.mean().alias("share"))
    )
    most = pl.col("n") == pl.col("n").max()
    ours_too = pl.col("_language").is_in(
        shares.filter(most | (pl.col("share") >= _SHARE))["_language"].to_list()
    )
    joined = joined.with_columns(
        pl.when(ours_too).then(name) for name in ("group_id", "canonical", "polarity")
    )
    missing = joined.filter(pl.col("canonical").is_null())["_key"].n_unique()
    return (
        joined.with_columns(
            attribute=pl.coalesce(pl.col("canonical"), pl.col("said")),
            group_id=pl.col("group_id").fill_null(""),
            polarity=pl.col("polarity").fill_null(""),
        ).drop("_key", "_language", "canonical"),
        missing,
    )


def language_of_words(table: pl.DataFrame, unnamed: str = WORKING_LANGUAGE) -> pl.Expr:
    """Language of identity and attribute: the working language where the statement was translated.

    Args:
        table: statements.
        unnamed: language of rows that name none.
    """
    explicit = _or(plain_cell("language"), unnamed) if "language" in table.columns else pl.lit(unnamed)
    if not {"statement", "original_statement"} <= set(table.columns):
        return explicit
    return (
        pl.when(plain_cell("statement") == plain_cell("original_statement"))
        .then(explicit)
        .otherwise(pl.lit(WORKING_LANGUAGE))
    )


def _lookup(groups: pl.DataFrame) -> pl.DataFrame:
    """One row per attribute (by its key) of the grouping."""
    cells = trimmed(groups, ("attribute", "group_id", "canonical", "polarity"))
    rows = cells.filter(pl.col("attribute") != "").select(
        pl.col("attribute").map_elements(identity_key, pl.String).alias("_key"),
        "group_id",
        pl.when(pl.col("canonical") == "")
        .then(pl.col("attribute"))
        .otherwise("canonical")
        .alias("canonical"),
        "polarity",
    )
    rows = rows.unique(maintain_order=True)
    twice = rows.filter(pl.col("_key").is_duplicated())
    if not twice.is_empty():
        attribute, first, second = twice["_key"][0], *twice.filter(_key=twice["_key"][0])["group_id"][:2]
        raise UserError(
            f"The groups contain the attribute '{attribute}' twice, in '{first}' and '{second}'. Remove one of the "
            "rows, "
            "or give both the same canonical term."
        )
    return rows


TRACE_COLUMNS: dict[str, str] = {
    "group_id": "the group of like attributes, or empty",
    "statement_ids": "the statements behind it, separated by blanks",
    "predicate": "'copula' where people said 'are ...', 'have' where 'have ...', 'verb' where another verb, or empty; "
    "'noun' where a published file only names a thing (\"bribes\")",
}
"""Columns that follow those of `schema.ASSOCIATION_COLUMNS`.

Then, where the statements say so, `identity_key`, `agreement`, `country` (where `region` holds regions) and the words
of endoxa by which statements in a language were read.
"""

NOUN = "noun"
_COPULAS = "are|is|were|was|be|being|been|sont|est|son|es|están|está|são|é|estão|está|ni"
_UNNAMED = ("other", "unspecified")
"""Axes that say less than any other."""

_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Associations:
    """What was made of the statements.

    Attributes:
        table: columns of `schema.ASSOCIATION_COLUMNS`, then of `TRACE_COLUMNS`, then further ones of the statements
            in which all of them agree (`endoxa.curate.summary`).
        left_out: how many statements were left out, by reason.
        rare: how many associations were left out because fewer than `min_support` respondents said them.
        notes: what was assumed, as sentences.
    """

    table: pl.DataFrame
    left_out: Mapping[str, int]
    rare: int
    notes: tuple[str, ...]


def association_id(identity: str, attribute: str, axis: str, region: str, source: str) -> str:
    """Name of an association: the same for the same five texts, as they are seen, whatever else the table holds.

    'a' and the first 12 hexadecimal digits of SHA-256: among 100,000 associations, two share a name with a
    probability of 2 in 100,000.
    """
    key = "\x1f".join(map(unseen_removed, (identity, attribute, axis, region, source)))
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
    polarity: Callable[[str], str] = polarity,
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
        polarity: polarity of an English attribute where the grouping gives none; in other languages it is neutral
            then.

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
    joined = _predicates(table)
    rows = [
        _association(dict(zip(keys, map(str, key), strict=True)), part, polarity, joined)
        for key, part in table.group_by(keys, maintain_order=True)
    ]
    kept = [row for row in rows if int(row["support"]) >= min_support]
    further = (IDENTITY_KEY, AGREEMENT, "country", *PROVENANCE_COLUMNS)
    columns = (*ASSOCIATION_COLUMNS, *TRACE_COLUMNS, *further)
    complete = pl.DataFrame(kept, schema=dict.fromkeys(columns, pl.String))
    complete = complete.drop(name for name in further if (complete[name] == "").all())
    order = with_identity_keys(complete).sort(
        ["axis", "identity", pl.col("support").cast(pl.Int64), "attribute", "association_id"],
        descending=[False, False, True, False, False],
    )
    carried, others = with_common_columns(order, statements, further_columns(statements, columns))
    notes = (*mentioned.notes, *moved, *not_carried(others, "associations"))
    return Associations(carried, mentioned.left_out, len(rows) - len(kept), notes)


def _with_place(table: pl.DataFrame, *, by_country: bool) -> pl.DataFrame:
    """A row per country named in the cell, where associations are made by country."""
    countries = [list(choices(cell)) or [""] for cell in trimmed(table, ("country",))["country"]]
    table = table.with_columns(_countries=pl.Series(countries, dtype=pl.List(pl.String)))
    if by_country:
        return table.with_columns(_place=pl.col("_countries")).explode("_place")
    return table.with_columns(_place=pl.lit(""))


def _association(
    key: Mapping[str, str], part: pl.DataFrame, rated: Callable[[str], str], joined: _Joined
) -> dict[str, str]:
    place = key["_place"]
    countries = {place} if place else {name for cell in part["_countries"] for name in cell}
    regions = {name for cell in part["region"] for name in choices(cell)}
    words = [
        entry for cells in part.select(BUILT_BY, WORDS).unique().rows() for entry in words_of_cells(*cells)
    ]
    written_polarity, language = (most_common(part[name]) for name in ("polarity", "_language"))
    name = association_id(key["identity"], key["attribute"], key.get("axis", ""), place, key["source"])
    attribute = key["attribute"]
    return {
        "association_id": name,
        "identity": key["identity"],
        "attribute": key["attribute"],
        "axis": key.get("axis") or _axis(part),
        "region": "; ".join(sorted((regions or countries) - {""})),
        "country": "; ".join(sorted(countries - {""})) if regions else "",
        "language": language,
        "polarity": written_polarity
        or (rated(key["attribute"]) if language == WORKING_LANGUAGE else "neutral"),
        "source": key["source"],
        "support": str(part["person"].n_unique()),
        "group_id": most_common(part["group_id"]),
        IDENTITY_KEY: most_common(part[IDENTITY_KEY]),
        AGREEMENT: _gender(Counter(part[AGREEMENT])),
        "statement_ids": " ".join(sorted(set(part["statement_id"].to_list()) - {""})),
        "predicate": most_common(joined.get((key["identity"], attribute)) or joined.get(("", attribute), ())),
        BUILT_BY: "endoxa curate associations" if words else "",
        WORDS: words_cell(sorted(words)),
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


def _gender(shown: Counter[str]) -> str:
    """The gender that more statements show; the masculine, which is of both, where as many show each."""
    return max(("m", "f"), key=lambda gender: shown[gender]) if shown["m"] + shown["f"] else ""


def _moved(table: pl.DataFrame, keys: Sequence[str]) -> list[str]:
    """How many associations were said under several axes, as a sentence."""
    several = table.group_by(keys).agg(pl.col("axis").n_unique()).filter(pl.col("axis") > 1).height
    sentence = f"{several} associations were reported under several axes: each gets the axis with the most respondents"
    return [f"{sentence} (--by axis keeps them apart)."] if several else []


_Joined = Mapping[tuple[str, str], Sequence[str]]


def _predicates(table: pl.DataFrame) -> _Joined:
    """How identity and attribute were joined by those who said it in the canonical words.

    Under (identity, attribute), and under ("", attribute) for the attribute with whatever identity.
    """
    unchanged = table.filter(pl.col("said") == pl.col("attribute"))
    columns = ("verb", "statement", "identity", "attribute", "_language")
    by_pair: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for verb, text, identity, attribute, language in trimmed(unchanged, columns).iter_rows():
        how = verb or predicate(text, identity, attribute, language)
        by_pair[identity, attribute].append(how)
        by_pair["", attribute].append(how)
    return by_pair


def _typed(letter: str) -> str:
    """A letter as it may be typed, with or without its accent."""
    return letter if plain(letter) in (letter, "") else f"(?:{letter}|{plain(letter)})"


def predicate(statement: str, identity: str, attribute: str, language: str = WORKING_LANGUAGE) -> str:
    """How a statement joins identity and attribute.

    'copula' where it has "are" (or its like) before the attribute, 'verb' where the attribute follows the identity at
    once, else an empty text ("Old people are wise, grumpy" says nothing about "grumpy"). In a language that puts verbs
    last, the copula follows the attribute; in one without a copula, what follows the identity may be of either kind.
    """
    text = _SPACES.sub(" ", re.sub(r"[‘’`´]", "'", statement)).strip().lower()
    words = re.escape(_SPACES.sub(" ", attribute.lower()).strip())
    words = re.sub(r"[^\W\d_]", lambda letter: _typed(letter[0]), words)
    if not words or not text:
        return ""
    extracted = words_of(language.split("-", maxsplit=1)[0], "extract.toml")
    if extracted.get("order") == "nominal":
        return ""
    if last := extracted.get("last"):
        behind = "|".join(map(re.escape, last))
        return "copula" if re.search(rf"(?<!\S){words} (?:{behind})(?!\w)", text) else ""
    if re.search(rf"\b(?:{_COPULAS})(?: (?:very|so|really|all|also|just|always|\w+ly))* {words}\b", text):
        return "copula"
    noun = re.escape(identity.lower().split()[-1]) if identity.split() else ""
    if not noun or not re.search(rf"\b{noun} {words}(?!\w)", text):
        return ""
    return "copula" if set_of(attribute, language) == COPULA else "verb"
