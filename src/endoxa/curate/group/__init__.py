"""Grouping attributes of like meaning, never opposites or negations, whatever the order of the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np
import polars as pl
import regex

from endoxa.curate.associations import WORKING_LANGUAGE, language_of_words
from endoxa.curate.cells import respondents
from endoxa.curate.encoders import Encoder, Vectors
from endoxa.curate.group.method import group_texts, polarity_of
from endoxa.curate.group.terms import Term, canonical, clean, key, make_terms
from endoxa.curate.opposites import Lexicon
from endoxa.curate.polarity import published
from endoxa.curate.summary import further_columns, most_common, not_carried
from endoxa.errors import UserError
from endoxa.schema import ASSOCIATION_COLUMNS, GROUP_COLUMNS
from endoxa.sources.frames import read_table
from endoxa.sources.headers import with_respondents
from endoxa.sources.identities import one_spelling


def language_of(path: Path) -> str:
    """The only language that a table names in its column `language`; English where statements were translated.

    Raises:
        UserError: the file cannot be read.
    """
    table = read_table(path)
    if "language" not in table.columns:
        return WORKING_LANGUAGE
    codes = {code.partition("-")[0].lower() for code in table["language"].drop_nulls() if code}
    originals = {"statement", "original_statement"} <= {*table.columns}
    translated = (
        originals and not table.filter(pl.col("statement") != pl.col("original_statement")).is_empty()
    )
    return codes.pop() if len(codes) == 1 and not translated else WORKING_LANGUAGE


def read_attributes(
    path: Path,
    column: str = "attribute",
    language: str | None = None,
    tell: Callable[[str], object] = lambda _: None,
    written: Collection[str] = (),
    *,
    as_written: bool = False,
) -> dict[str, int]:
    """Respondents by attribute, in the order in which the attributes first appear.

    A table of statements counts different respondents, and leaves out rows whose `omit` is true; a table with a
    column `count` sums it; any other one counts rows. Rows without an attribute are left out.

    Args:
        path: the table.
        column: the column of the attributes.
        language: leave out statements that stand in another language because nobody translated them.
        tell: takes a sentence for the user where such were left out.
        written: columns of the table that is made of the attributes, where one is: what it lacks is told.
        as_written: spellings of an attribute stay apart, as the published method has them.

    Raises:
        UserError: the file cannot be read, lacks the column, has a count that is no whole number, or no attribute.
    """
    table = with_respondents(read_table(path, (column,)))
    if written:
        for sentence in not_carried(
            further_columns(table, (*written, column, *ASSOCIATION_COLUMNS)), "groups"
        ):
            tell(sentence)
    table = table.with_row_index("row", offset=1)
    table = table.with_columns(pl.col(column).str.strip_chars().alias("attribute")).filter(
        pl.col("attribute").fill_null("") != ""
    )
    if not as_written:
        table = one_spelling(table, ("attribute",), str(path))
    if "omit" in table.columns:
        table = table.filter(pl.col("omit").fill_null("").str.to_lowercase() != "true")
    if language:
        table = _in_language(table, language, tell)
    if table.is_empty():
        raise UserError(f"{path}, column '{column}': no attribute found. Expected at least one.")
    if "respondent" in table.columns:
        count = respondents()
    elif "count" in table.columns:
        numbers = table["count"].str.strip_chars().cast(pl.Int64, strict=False)
        wrong = table.filter(numbers.is_null() | (numbers < 0))
        if not wrong.is_empty():
            raise UserError(
                f"{path}, row {wrong['row'][0]}, column 'count': '{wrong['count'][0] or ''}' is not a whole number. "
                "Expected the number of respondents."
            )
        table, count = table.with_columns(numbers), pl.col("count").sum()
    else:
        count = pl.len()
    grouped = table.group_by("attribute", maintain_order=True).agg(count.alias("count"))
    return dict(grouped.select("attribute", pl.col("count").cast(pl.Int64)).iter_rows())


def _in_language(table: pl.DataFrame, language: str, tell: Callable[[str], object]) -> pl.DataFrame:
    """The rows whose `statement` is in the language: an encoder of one language groups another's at random."""
    if not {"language", "statement", "original_statement"} <= set(table.columns):
        return table
    kept = language_of_words(table, language) == language
    others = table.filter(~kept).unique("attribute", keep="first").filter(pl.col("language") != language)
    if others.height:
        codes = ", ".join(sorted(set(others["language"].drop_nulls())))
        tell(
            f"{others.height} attributes in other languages than '{language}' ({codes}) are not grouped. Translate the "
            "statements (endoxa curate extract --translate), or group them with --language, --encoder and --existing."
        )
    return table.filter(kept)


GROUP_ID = regex.compile(r"g(\d+)")


@dataclass(frozen=True, slots=True)
class Existing:
    """The rows of an earlier grouping.

    Attributes:
        table: all rows and columns, as they stand.
        groups: group id by attribute.
        canonical: canonical term by group id.
        polarity: polarity by group id, where the table says it.
    """

    table: pl.DataFrame
    groups: dict[str, str]
    canonical: dict[str, str]
    polarity: dict[str, str]

    def next_number(self) -> int:
        """First number of a group id that is not taken."""
        numbers = [int(match[1]) for name in self.canonical if (match := GROUP_ID.fullmatch(name))]
        return max(numbers, default=0) + 1


def read_existing(path: Path) -> Existing:
    """Read a grouping: columns attribute, group_id and canonical; others are kept.

    People who move an attribute to another group seldom mend its canonical term: of several in a group, the one in
    most rows is the group's.

    Raises:
        UserError: a column is missing, a row has no attribute or no group, or an attribute is in two groups.
    """
    table = read_table(path, ("attribute", "group_id", "canonical"))
    for number, row in enumerate(table.iter_rows(named=True), start=1):
        for column in ("attribute", "group_id"):
            if not (row[column] or "").strip():
                raise UserError(f"{path}, row {number}, column '{column}': empty. Fill it in.")
    twice = [name for name, times in Counter(table["attribute"].to_list()).items() if times > 1]
    if twice:
        raise UserError(f"{path}: the attribute '{twice[0]}' appears in two rows. Keep it in one group.")
    groups: dict[str, str] = dict(table.select("attribute", "group_id").iter_rows())
    first = {name: attribute for attribute, name in reversed(groups.items())}
    polarity = _most_common(table, "polarity") if "polarity" in table.columns else {}
    return Existing(table, groups, first | _most_common(table, "canonical"), polarity)


def _most_common(table: pl.DataFrame, column: str) -> dict[str, str]:
    """The value in most rows of each group; groups without any are left out."""
    filled = table.filter(pl.col(column).fill_null("") != "")
    return {str(name): most_common(part[column]) for (name,), part in filled.group_by("group_id")}


def first_members(vectors: Vectors, threshold: float) -> list[int]:
    """For each row the first row of its group: the first earlier one at cosine >= threshold, else itself.

    Only rows that opened a group are compared with, so the result depends on the order of the rows.
    """
    openers: list[int] = []
    opened = np.empty_like(vectors)
    places = []
    for row, vector in enumerate(vectors):
        near = np.flatnonzero(opened[: len(openers)] @ vector >= threshold)
        if not near.size:
            opened[len(openers)] = vector
            openers.append(row)
        places.append(openers[near[0]] if near.size else row)
    return places


Method = Literal["endoxa", "afristereo"]
TAU = 0.55
"""Published threshold (section 3.3.2)."""
SCHEMA = dict.fromkeys((*GROUP_COLUMNS, "vader"), pl.String) | {"count": pl.Int64}

Label = TypeVar("Label", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Group:
    """Terms of like meaning.

    Attributes:
        terms: the members.
        canonical: the term that stands for them.
        polarity: 'positive', 'negative' or 'neutral'.
        name: id of the existing group that the terms join, or None.
    """

    terms: tuple[Term, ...]
    canonical: str
    polarity: str
    name: str | None = None

    @property
    def count(self) -> int:
        """Respondents behind all members."""
        return sum(term.count for term in self.terms)


def group_attributes(
    counts: Mapping[str, int],
    encoder: Encoder,
    lexicon: Lexicon,
    *,
    tau: float = TAU,
    method: Method = "endoxa",
    existing: Existing | None = None,
) -> pl.DataFrame:
    """Group attributes by meaning: columns attribute, group_id, canonical, polarity, vader, count.

    Groups are numbered from the one with most respondents. With `existing`, its rows come first, unchanged, and only
    attributes that it lacks are added to its groups or to new ones.

    Args:
        counts: respondents by attribute. The order matters to `afristereo` only.
        encoder: texts to unit vectors.
        lexicon: opposites, negations and words of degree of the attributes' language.
        tau: least cosine: of the mean between groups (`endoxa`), or to a group's first member (`afristereo`).
        method: 'endoxa', or the published 'afristereo' (which takes no existing grouping).
        existing: a grouping to add to.
    """
    if method == "afristereo":
        groups = _published(counts, encoder, lexicon, tau)
    elif existing is None:
        terms = make_terms(counts, lexicon)
        texts = [term.text for term in terms]
        vectors = encoder(texts)
        groups = [
            _new_group([terms[row] for row in rows], vectors[rows], lexicon)
            for rows in _rows_by_label(group_texts(texts, vectors, encoder, lexicon, tau)).values()
        ]
    else:
        groups = _added(counts, existing, encoder, lexicon, tau)
    if existing is None:
        return _table(groups, counts, lexicon, 1)
    added = _table(groups, counts, lexicon, existing.next_number())
    return pl.concat([existing.table, added], how="diagonal_relaxed")


def _new_group(terms: Sequence[Term], vectors: Vectors, lexicon: Lexicon) -> Group:
    """A group with the polarity that most of its respondents' words have; of equals, not the neutral one."""
    support: dict[str, int] = {}
    for term in terms:
        word = polarity_of(term.text, lexicon)
        support[word] = support.get(word, 0) + term.count
    polarity = max(sorted(support), key=lambda word: (support[word], word != "neutral"))
    return Group(tuple(terms), canonical(terms, vectors), polarity)


def _published(counts: Mapping[str, int], encoder: Encoder, lexicon: Lexicon, tau: float) -> list[Group]:
    """Groups around first members, split by VADER's polarity."""
    attributes = list(counts)
    vectors = encoder(attributes)
    terms = [Term(name, clean(name, lexicon), (name,), counts[name]) for name in attributes]
    groups = _rows_by_label([*zip(first_members(vectors, tau), map(published, attributes), strict=True)])
    return [
        Group(tuple(members), canonical(members, vectors[rows]), polarity)
        for (_, polarity), rows in groups.items()
        for members in [[terms[row] for row in rows]]
    ]


def _rows_by_label(labels: Sequence[Label]) -> dict[Label, list[int]]:
    rows: dict[Label, list[int]] = {}
    for row, label in enumerate(labels):
        rows.setdefault(label, []).append(row)
    return rows


def _added(
    counts: Mapping[str, int], existing: Existing, encoder: Encoder, lexicon: Lexicon, tau: float
) -> list[Group]:
    """New attributes: those that differ from a known one on the surface only, then the others by meaning."""
    existing_names = sorted(existing.groups)
    home: dict[str, str] = {}
    for attribute in existing_names:
        home.setdefault(key(attribute, lexicon), existing.groups[attribute])
    terms = make_terms(
        {identity: count for identity, count in counts.items() if identity not in existing.groups}, lexicon
    )
    variants = [
        _joined(existing, home[term.key], Group((term,), term.text, polarity_of(term.text, lexicon)))
        for term in terms
        if term.key in home
    ]
    others = [term for term in terms if term.key not in home]
    texts = [clean(identity, lexicon) for identity in existing_names] + [term.text for term in others]
    vectors = encoder(texts)
    fixed = [existing.groups[identity] for identity in existing_names] + [None] * len(others)
    labels = group_texts(texts, vectors, encoder, lexicon, tau, fixed=fixed)
    groups = []
    for rows in _rows_by_label(labels).values():
        names = [name for row in rows if (name := fixed[row]) is not None]
        fresh = [row for row in rows if row >= len(existing_names)]
        members = [others[row - len(existing_names)] for row in fresh]
        if members:
            group = _new_group(members, vectors[fresh], lexicon)
            groups.append(_joined(existing, names[0], group) if names else group)
    return variants + groups


def _joined(existing: Existing, name: str, group: Group) -> Group:
    """The group under the name, canonical term and polarity of the existing one."""
    word = existing.polarity.get(name, group.polarity)
    return Group(group.terms, existing.canonical[name], word, name)


def _table(groups: Sequence[Group], counts: Mapping[str, int], lexicon: Lexicon, first: int) -> pl.DataFrame:
    """Rows of all groups: those that join existing ones, then new ones, numbered from `first` by respondents."""
    new = sorted(
        (group for group in groups if group.name is None),
        key=lambda group: (-group.count, group.canonical, group.terms[0].key),
    )
    named = [(group.name, group) for group in groups if group.name is not None]
    named += [(f"g{number:04d}", group) for number, group in enumerate(new, start=first)]
    rows = [
        (
            attribute,
            name,
            group.canonical,
            group.polarity,
            (published(attribute) if lexicon.language == "en" else ""),
            counts[attribute],
        )
        for name, group in named
        for attribute in sorted(
            [attribute for term in group.terms for attribute in term.attributes],
            key=lambda identity: (-counts[identity], identity),
        )
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")
