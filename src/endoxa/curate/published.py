"""Associations of published data sets (SAFARI, SPICE, SeeGULL, LACES), or those of a table of one's own.

`endoxa.sources.layouts` says which columns mean what. Groups and attributes are written as in every table of
associations: identities in lower case and plural, attributes without a copula.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import polars as pl

from endoxa.curate.associations import NOUN, WORKING_LANGUAGE, association_id, predicate
from endoxa.curate.cells import finite
from endoxa.curate.grammar.english import names_a_thing
from endoxa.curate.normalise.attribute import normal_attribute
from endoxa.curate.normalise.identity import IDENTITY_KEY, native_identity, normal_identity, own_name
from endoxa.curate.polarity import polarity
from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa.schema import ASSOCIATION_COLUMNS
from endoxa.sources.drafts import axis_of
from endoxa.sources.files import require_file
from endoxa.sources.frames import read_table
from endoxa.sources.layouts import SENTENCES, Layout, Recognised, layout_named, recognised_as
from endoxa.sources.source import called, reading_files
from endoxa.sources.tables import require_columns, written_columns
from endoxa.sources.typography import readable
from endoxa.words.people import every_group, find, is_place

_LOG = logging.getLogger(__name__)

OWN = "csv"
"""The layout of a table of one's own, with columns identity and attribute."""
USUAL_LIMIT = 60
"""Associations of a published file in a study that asks for no number of them: minutes on a laptop."""
_COLUMNS = (*ASSOCIATION_COLUMNS, "predicate", IDENTITY_KEY)


def read_associations(
    path: Path, layout: str | None = None, *, min_support: int | None = None, min_rating: int | None = None
) -> pl.DataFrame:
    """The associations of a file in a published layout, or the rows of a table with identity and attribute.

    How a published file was read is logged.

    Args:
        path: the file.
        layout: name of the layout, or 'csv' for a table of one's own; None recognises it.
        min_support: smallest number of people for a stereotype; None takes the rule of the data set, and every row of a
            table of one's own.
        min_rating: smallest rating by which a person supports an association, of a file that has ratings; 0 takes rows
            without a rating too. None takes the rule of the data set.

    Raises:
        UserError: the file cannot be read, has no associations or no ratings that `min_rating` asks for, or holds
            something that another command takes.
    """
    require_file(path)
    recognised = _recognised(path, layout)
    if min_rating is not None and (recognised is None or recognised.layout.unit != "ratings"):
        raise UserError(
            f"{path} has no ratings, so min_rating has no meaning here: it is for LACES' release. Leave it out."
        )
    if recognised is None:
        table = read_table(path, ("identity", "attribute"))
        if min_support is None:
            return table
        require_columns(path, table.columns, ("support",))
        return _frequent(table, min_support, path)
    published = recognised.layout
    if min_rating is not None:
        rule = f"one annotator rated it {min_rating} or more" if min_rating else "every row counts"
        published = replace(published, score=min_rating, support_rule=f"{rule} (min_rating = {min_rating})")
    fewest = published.support if min_support is None else min_support
    with reading_files(sheet=recognised.sheet):
        rows = read_table(path, tuple(recognised.columns), as_written=True).rename(recognised.columns)
    made = _frequent(_associations(rows, published, path), fewest, path)
    _LOG.warning(
        "%s was read as %s: %s from %s. Minimum support %d: %s.",
        called(path),
        published.name,
        plural(made.height, "association"),
        plural(rows.height, "row"),
        fewest,
        published.support_rule if min_support is None else "as asked for (--min-support)",
    )
    return made


def chosen_associations(
    path: Path,
    layout: str | None = None,
    *,
    min_support: int | None = None,
    limit: int | None = None,
    languages: Sequence[str] = (),
) -> pl.DataFrame:
    """The associations of a file with the most support, in the order of the file; groups take turns among equals.

    Args:
        path: the file.
        layout: as for `read_associations`.
        min_support: as for `read_associations`.
        limit: how many; 0 takes all, None all of a table of one's own and `USUAL_LIMIT` of a published file.
        languages: take only these (ISO 639); all where there are none.

    Raises:
        UserError: as for `read_associations`, or the limit is below 1.
    """
    table = read_associations(path, layout, min_support=min_support)
    if limit is None and _recognised(path, layout) is not None:
        limit = USUAL_LIMIT
        if table.height > limit:
            _LOG.warning(
                "The study takes %d of the %s, those with the most support, which a laptop can do. "
                "Take more with --limit 200, or all with --limit 0.",
                limit,
                plural(table.height, "association"),
            )
    if not limit:
        return table
    if limit < 1:
        raise UserError(f"--limit is {limit}. Expected at least 1, or 0 for all associations.")
    if languages and "language" in table.columns:
        main = pl.col("language").fill_null("").str.split("-").list.first().str.to_lowercase()
        table = table.filter(main.is_in(["", *languages]))
    support = _support() if "support" in table.columns else pl.lit(0.0)
    numbered = table.with_columns(_support=support).with_row_index("_row")
    # Among equals the first of every group goes before the second of any.
    numbered = numbered.with_columns(
        _rank=pl.struct(-pl.col("_support"), "_row").rank("ordinal").over("identity")
    )
    kept = numbered.sort("_support", "_rank", "_row", descending=[True, False, False]).head(limit)
    return kept.sort("_row").drop("_row", "_support", "_rank")


def _recognised(path: Path, name: str | None) -> Recognised | None:
    """The published layout of a file, by name or by its columns; None for a table of one's own.

    Raises:
        UserError: there is no layout of that name, the file lacks columns of it, or it holds no associations.
    """
    if name == OWN:
        return None
    recognised = recognised_as(path, name)
    layout = recognised.layout if recognised else layout_named(name) if name else None
    if layout and layout.unit in ("", SENTENCES):
        raise UserError(f"{path} has the layout {layout.name}. It is taken by: {layout.takes}.")
    if layout and not recognised:
        require_columns(path, written_columns(path), layout.columns)
    return recognised


def _support() -> pl.Expr:
    return pl.col("support").cast(pl.Float64, strict=False).fill_null(0)


def _frequent(table: pl.DataFrame, fewest: int, path: Path) -> pl.DataFrame:
    kept = table.filter(_support() >= fewest)
    if kept.is_empty():
        raise UserError(
            f"{path} has no association that {fewest} or more people support. Lower it: --min-support N."
        )
    return kept


_BY_NAME = ("axis", "language", "region")
"""What the name of a published file may say; columns of these names say it, too."""


def _associations(rows: pl.DataFrame, layout: Layout, path: Path) -> pl.DataFrame:
    """One association per identity, attribute and language, with everybody who supports it."""
    by_name = layout.said_by_name(path)
    if "<language>" in layout.file_name and "language" not in {*by_name, *rows.columns}:
        raise UserError(
            f"{called(path)} has the layout {layout.name}, in which the name of the file says language and region. "
            "Keep the name of the published file, or add columns 'language' and 'region'."
        )
    defaults = {"axis": layout.axis, "region": layout.region, "language": layout.language, **by_name}
    roles = (dict(zip(_BY_NAME, _BY_NAME, strict=True)) if layout.file_name else {}) | dict(layout.roles)
    grouped: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for cells in rows.iter_rows(named=True):
        row = _row(
            {ours: (cells.get(theirs) or "").strip() for ours, theirs in roles.items()}, layout, defaults
        )
        row["people"] = str(_people(cells, layout))
        if row["identity"] and row["attribute"]:
            grouped.setdefault((row["identity"], row["attribute"], row["language"]), []).append(row)
    made = [_association(key, group, layout) for key, group in grouped.items()]
    return pl.DataFrame(made, schema=dict.fromkeys(_COLUMNS, pl.String))


def _row(said: Mapping[str, str], layout: Layout, defaults: Mapping[str, str]) -> dict[str, str]:
    """A row in our words: normal forms, code of the language, polarity of the English attribute."""
    language = said.get("language") or defaults["language"] or WORKING_LANGUAGE
    language = layout.languages.get(language, language)
    country = said.get("country", "")
    identity, attribute = (readable(said[name]).strip(" ,،") for name in ("identity", "attribute"))
    if layout.unit == "ratings":  # the name of a country
        identity = own_name(normal_identity(f"people from {identity}"), language)
    english = normal_attribute(
        said.get("attribute_english", attribute if language == WORKING_LANGUAGE else "")
    )
    key = said.get(IDENTITY_KEY, "").strip(" ,")
    native = language != WORKING_LANGUAGE
    singular = layout.unit == "counts"  # judged and coded lists name a group by one of its people
    if is_place(key):
        key, singular = f"people from {key}", False
    key = normal_identity(f"a {key}" if singular else key, country) if key else ""
    if native:
        listed = own_name(key, language) if layout.unit == "counts" else key
        identity = listed if listed != key else native_identity(identity, language)
    else:
        identity = normal_identity(f"a {identity.lower()}" if singular else identity, country)
    return {
        "identity": identity,
        "attribute": _small(attribute) if native else normal_attribute(attribute),
        "axis": _axis(said.get("axis") or defaults["axis"] or _kind(identity, language), layout.axes),
        "region": country or said.get("region") or defaults["region"],
        "language": language,
        "polarity": _polarity(english) if english else "neutral",
        "thing": NOUN if english and names_a_thing(english) else "",
        "respondent": said.get("respondent", ""),
        IDENTITY_KEY: key,
        "statement": said.get("statement", ""),
    }


def _people(cells: Mapping[str, str | None], layout: Layout) -> int:
    """How many people of a row support the association."""
    if layout.unit == "statements":
        return 1
    if layout.unit == "ratings":
        return int((finite(cells[layout.roles["rating"]]) or 0) >= layout.score)
    return int(sum(finite(cells[name]) or 0 for name in layout.people))


def _association(
    key: tuple[str, str, str], group: Sequence[Mapping[str, str]], layout: Layout
) -> dict[str, str]:
    identity, attribute, language = key
    respondents = {row["respondent"] for row in group} - {""}
    people = [int(row["people"]) for row in group]
    support = len(respondents) or (max(people) if layout.judged else sum(people))
    joined = [predicate(row["statement"], identity, attribute, language) for row in group if row["statement"]]
    # An id of another language is another id, so that translations stay apart.
    origin = layout.name if language == WORKING_LANGUAGE else f"{layout.name}:{language}"
    return {
        "association_id": association_id(identity, attribute, "", "", origin),
        "identity": identity,
        "attribute": attribute,
        "axis": _usual(group, "axis"),
        "region": "; ".join(sorted({row["region"] for row in group} - {""})),
        "language": language,
        "polarity": _usual(group, "polarity"),
        "source": layout.name,
        "support": str(support),
        "predicate": (Counter(joined).most_common(1)[0][0] if joined else "") or _usual(group, "thing"),
        IDENTITY_KEY: _usual(group, IDENTITY_KEY),
    }


def _usual(group: Sequence[Mapping[str, str]], column: str) -> str:
    """The cell of most rows, the first by alphabet among equals."""
    counts = Counter(row[column] for row in group)
    return min(counts, key=lambda cell: (-counts[cell], cell))


def _axis(text: str, spellings: Mapping[str, str]) -> str:
    """An axis in lower case; several are in the order of the alphabet ("ethnicity, gender")."""
    axes = {" ".join(part.lower().split()) for part in text.split(",")} - {""}
    return axis_of(", ".join(sorted({spellings.get(axis, axis) for axis in axes})))


@lru_cache(maxsize=1 << 14)
def _kind(identity: str, language: str) -> str:
    """What kind of group it is, which is an axis ("gender", "religion"); empty where no table knows it."""
    named = find(identity, language)
    return next((group.kind for group in every_group() if named and group.id == named.id), "")


def _small(attribute: str) -> str:
    """An attribute with a small first letter, unless its first word is all in capitals."""
    first = attribute.split(" ", maxsplit=1)[0]
    return attribute if len(first) > 1 and first.isupper() else attribute[:1].lower() + attribute[1:]


@lru_cache(maxsize=1 << 14)
def _polarity(attribute: str) -> str:
    """Polarity of an English attribute; 'neutral' where the word list is not installed."""
    try:
        return polarity(attribute)
    except UserError:
        return "neutral"
