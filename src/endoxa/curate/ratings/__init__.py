"""What people's ratings of associations say: how far they disagree, and whether they are lenient with their own."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from endoxa.curate.cells import trimmed, yes_or_no
from endoxa.curate.novelty import normalise
from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa.schema.drafts import DRAFT, REJECTED
from endoxa.sources.frames import read_table
from endoxa.sources.identities import identity_key, one_spelling
from endoxa.sources.layouts import Layout, ratings_layout
from endoxa.sources.tables import TABLE_SUFFIXES, require_columns

_LOG = logging.getLogger(__name__)
COLUMNS: dict[str, str] = {
    "identity": "the people it is said of",
    "attribute": "what is said of them",
    "rating": "a number",
    "rater": "who rated, or empty",
    "in_group": "whether the rater is one of these people, or null",
    "topic": "topic of the association, or empty",
    "sentiment": "sentiment of the association ('positive', 'negative', ...), or empty",
    "propensity": "probability with which the association was shown to this rater, or null",
}
"""Columns of the ratings as they are analysed."""

NEEDED = ("identity", "attribute", "rating")
ALIASES = {"rating": "value", "sentiment": "polarity"}
"""Names that a campaign's export has for our columns."""
NAME, NAMES = "association_id", "source_ids"
IN_GROUP = ("true", "1", "yes", "in", "in-group"), ("false", "0", "no", "out", "out-group")
"""What the column `in_group` may say for yes, and for no."""


def read_ratings(path: Path, topics: Path | None = None) -> pl.DataFrame:
    """Ratings, one row each.

    Args:
        path: folder of `endoxa collect export` or its table of ratings (the pairs beside it say what was rated), a
            published table of ratings (LACES' release), or a table with the columns `NEEDED` and any of `COLUMNS`.
        topics: topics and perhaps sentiments of associations, which come in place of the ratings' own; see
            `read_topics`. Drafts that nobody approved are left out.

    Returns:
        The columns of `COLUMNS`.

    Raises:
        UserError: a file cannot be read, a column is missing, a rating is no number, an `in_group` is neither yes nor
            no, a propensity is not above 0 and at most 1, or somebody rated an association twice.
    """
    ratings = export_table(path, "ratings") if path.is_dir() else path
    table = read_table(ratings, optional=(*COLUMNS, *ALIASES.values()))
    if "association_id" in table.columns and not {"identity", "attribute"} <= set(table.columns):
        table = _of_campaign(ratings, table)
    published = ratings_layout(table.columns)
    table = _named(table) if published is None else _released(table, published, path)
    require_columns(path, table.columns, NEEDED)
    if topics is not None:
        labels = read_topics(topics, drafts=False)
        table = table.with_columns(labels.of(table).select(labels.columns))
    return _typed(one_spelling(trimmed(table, COLUMNS), source=str(path)), path)


class Label(NamedTuple):
    """A topic, whether it is a draft that nobody has approved, and the sentiment that goes with it."""

    topic: str = ""
    draft: bool = False
    sentiment: str = ""


Texts = tuple[str, ...]
"""Identity and attribute, or attribute alone, as they are compared."""


@dataclass(frozen=True, slots=True)
class Topics:
    """Topics by the name of an association, by identity and attribute, or by attribute alone.

    Attributes:
        by_name: labels by the name of an association.
        by_texts: labels by its words.
        columns: what the table says of an association: `topic`, and `sentiment` where it has that column.
    """

    by_name: Mapping[str, Label]
    by_texts: Mapping[Texts, Label]
    columns: Sequence[str]

    def of(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The label of each row, empty where none is known; its name decides before its words."""
        labels = []
        for name, identity, attribute in trimmed(rows, (NAME, "identity", "attribute")).iter_rows():
            words = _key(attribute)
            by_words = self.by_texts.get((words,), Label())
            labels.append(self.by_name.get(name) or self.by_texts.get((_key(identity), words), by_words))
        schema = {"topic": pl.String, "draft": pl.Boolean, "sentiment": pl.String}
        return pl.DataFrame(labels, schema=schema, orient="row")


def _key(text: str) -> str:
    """What all spellings of a text share; punctuation at the ends does not count."""
    return normalise(identity_key(text))


def read_topics(path: Path, *, drafts: bool = True) -> Topics:
    """Topics of a table.

    Args:
        path: a table with `topic` (or `label`) and `association_id`, or `identity` and `attribute`, or `attribute` (or
            `text`), and perhaps `sentiment`; the labels of `endoxa author label` are such a table. Drafts that were
            rejected, and rows without a label, are left out.
        drafts: whether labels that nobody has judged are taken too.

    Raises:
        UserError: the table cannot be read, a column is missing, or something has two topics or sentiments.
    """
    table = _named(read_table(path, respect_statuses=not drafts))
    topic = next((column for column in ("topic", "label") if column in table.columns), None)
    words = next((column for column in ("attribute", "text") if column in table.columns), None)
    if topic is None or not ({NAME, NAMES} & set(table.columns) or words):
        raise UserError(
            f"{path} needs a column 'topic' (or 'label') and a column 'association_id' or 'attribute' (or 'text'). Its "
            f"columns are: {', '.join(table.columns)}."
        )
    by_name: dict[str, Label] = {}
    by_texts: dict[Texts, Label] = {}
    of_named: dict[Texts, set[Label]] = {}
    for number, row in enumerate(table.iter_rows(named=True), start=1):
        cells = {column: (cell or "").strip() for column, cell in row.items()}
        status = cells.get("status")
        label = Label(cells[topic], status == DRAFT, cells.get("sentiment", ""))
        if not label.topic or status == REJECTED:
            continue
        name = cells.get(NAME) or cells.get(NAMES, "")
        texts = (cells.get("identity", ""), cells[words]) if words is not None else ()
        key = tuple(_key(text) for text in texts if text)
        # Rows without a name are called by their number, which says nothing of another table.
        if name and not name.isdigit():
            _keep(by_name, name, label, path, number)
            if key:
                of_named.setdefault(key, set()).add(label)
        elif key:
            _keep(by_texts, key, label, path, number)
    if not by_name and not by_texts:
        raise UserError(f"{path} holds no label: its column '{topic}' is empty.")
    # The same words can have another topic in another association: then its name alone decides.
    clear = {
        key: min(labels)  # of a draft and an approved label the approved one
        for key, labels in of_named.items()
        if len({(label.topic, label.sentiment) for label in labels}) == 1
    }
    columns = ["topic", *(["sentiment"] if "sentiment" in table.columns else [])]
    return Topics(by_name, clear | by_texts, columns)


def _keep(kept: dict[Any, Label], key: Any, label: Label, path: Path, number: int) -> None:
    """Take a label.

    Raises:
        UserError: there is another one already.
    """
    earlier = kept.setdefault(key, label)
    for name in ("topic", "sentiment"):
        first, second = getattr(earlier, name), getattr(label, name)
        if first != second:
            spoken = ": ".join(key) if isinstance(key, tuple) else key
            raise UserError(
                f"{path}, row {number}: '{spoken}' has more than one {name}: '{first}' and '{second}'. Give it one."
            )


def export_table(folder: Path, name: str) -> Path:
    """A table in the folder of an export.

    Raises:
        UserError: there is none of that name.
    """
    if path := in_folder(folder, name):
        return path
    raise UserError(f"{folder} holds no table '{name}'. Expected a folder of `endoxa collect export`.")


def in_folder(folder: Path, name: str) -> Path | None:
    """A table in the folder of an export, or None."""
    return next((path for end in TABLE_SUFFIXES if (path := folder / f"{name}{end}").is_file()), None)


def _of_campaign(path: Path, rated: pl.DataFrame) -> pl.DataFrame:
    """The ratings of an export that count, with the words of their pairs."""
    about = read_table(export_table(path.parent, "pairs"), ("association_id", "identity", "attribute"))
    columns = ("association_id", "identity", "attribute", "topic", "polarity")
    kept = [name for name in columns if name in about.columns]
    if "counted" in rated.columns:
        rated = rated.filter(pl.col("counted").fill_null("true").str.to_lowercase() != "false")
    return rated.join(about.select(kept), on="association_id", how="inner", maintain_order="left")


def _named(table: pl.DataFrame) -> pl.DataFrame:
    """The table with our names of columns."""
    there = set(table.columns)
    return table.rename(
        {theirs: ours for ours, theirs in ALIASES.items() if theirs in there and ours not in there}
    )


def _released(table: pl.DataFrame, layout: Layout, path: Path) -> pl.DataFrame:
    """A published table of ratings with our names of columns, without rows that have no rating.

    A rater is in the group whose nation is among the rater's nationalities (LACES, section 3).
    """
    roles = layout.roles
    rated = table.filter(pl.col(roles["rating"]).fill_null("").str.strip_chars() != "")
    if rated.height < table.height:
        left_out = plural(table.height - rated.height, "row")
        _LOG.warning("%s: %s without a rating left out.", path, left_out)
    nationalities = pl.col(roles["nationalities"]).str.strip_chars("[]").str.split(", ")
    stripped = nationalities.list.eval(pl.element().str.strip_chars("'\" "))
    inside = stripped.list.contains(pl.col(roles["identity"]).str.strip_chars())
    return rated.select(
        in_group=pl.when(inside).then(pl.lit("yes")).otherwise(pl.lit("no")),
        **{name: roles[name] for name in NEEDED},
    )


def _typed(texts: pl.DataFrame, path: Path) -> pl.DataFrame:
    """The ratings with numbers and truth values.

    Raises:
        UserError: see `read_ratings`.
    """
    typed = texts.with_row_index("row", offset=1).with_columns(
        number=pl.col("rating").cast(pl.Float64, strict=False),
        in_group=yes_or_no(texts["in_group"], path, *IN_GROUP),
        shown=pl.col("propensity").cast(pl.Float64, strict=False),
    )
    wrong = {
        "has no identity": pl.col("identity") == "",
        "has no attribute": pl.col("attribute") == "",
        "has a rating that is no number": ~pl.col("number").is_finite().fill_null(value=False),
        "has a propensity that is not above 0 and at most 1": (pl.col("propensity") != "")
        & ~pl.col("shown").is_between(0, 1, closed="right").fill_null(value=False),
    }
    for problem, condition in wrong.items():
        rows = typed.filter(condition)
        if rows.height:
            raise UserError(
                f"{path}, row {rows['row'][0]} {problem} ({rows.height} such rows). Correct it, or leave the row out."
            )
    named = typed.filter(pl.col("rater") != "")
    twice = named.filter(pl.struct("identity", "attribute", "rater").is_duplicated())
    if twice.height:
        raise UserError(
            f"{path}, row {twice['row'][1]}: the rater '{twice['rater'][0]}' rated this association before. Keep one "
            "of the ratings."
        )
    if typed.is_empty():
        raise UserError(f"{path} holds no ratings.")
    return typed.select(
        pl.exclude("rating", "propensity", "row", "number", "shown"), rating="number", propensity="shown"
    ).select(list(COLUMNS))
