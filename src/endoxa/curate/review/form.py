"""What a review sheet asks, for each kind of table: which words may be changed, which are only shown.

The reasons for leaving a row out are the rules that AfriStereo's reviewers worked by (paper, section 3.3.3, and the
notes of its published sheets), in our words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from endoxa.errors import UserError

KEEP, EDIT, OMIT, UNSURE = "keep", "edit", "omit", "unsure"

DECISIONS: dict[str, str] = {
    KEEP: "the row is right as it stands",
    EDIT: "the row is right with the words that you changed",
    OMIT: "the row should be left out; say why in the column 'reason'",
    UNSURE: "you cannot tell: others decide",
}
"""What a reviewer may decide about a row, with its meaning."""

DISPUTED = "disputed"
"""What stands in `review_decision` where reviewers disagree and nobody has settled it."""

REASONS: dict[str, str] = {
    "not about people": "it is about a place, a thing or an animal, not about people or a group of people",
    "synonym instead of attribute": "it only says in other words who they are (teachers are educators)",
    "noise": "it has no meaning, is a test, or is no statement at all",
    "identity or attribute missing": "it does not say who it is about, or not what is said of them",
    "needs a country": "the group cannot be told without the country, and the country is not known",
    "no particular group": "it is about everybody, or nobody in particular (people, some, they)",
    "not translated": "it is in another language and nobody has translated it",
    "other": "something else: say it in the column 'note'",
}
"""Reasons for leaving a row out, with their meaning."""

ANSWERS = ("decision", "reason", "note")
"""Columns of the sheet that a reviewer fills in beside the words."""

ROW_KEY = "review_row"
"""Names a row for good, through edits, new rows and rows left out: '<id>#<n>' for the n-th row of an id."""

REVIEW_COLUMNS: dict[str, str] = {
    "omit": "'true' where the row is to be left out, else 'false'",
    "omit_reason": "why it is to be left out, or empty",
    "reviewed_by": "who decided on the row, in alphabetical order, separated by '; '",
    "review_decision": "keep, edit, omit, unsure or disputed; empty where nobody has decided",
    "review_note": "notes of the reviewers, and what they disagreed about",
    ROW_KEY: "name of the row in every sheet made from this table",
}
"""Columns that a reviewed table has beside its own."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of table that can be reviewed.

    Attributes:
        name: what its rows are called ("statements").
        key: the column that names a row, or a statement with several rows.
        marks: columns by which it is recognised.
        edited: columns whose words a reviewer may change.
        shown: columns shown beside them.
        several_rows: whether a key may stand on several rows, so that a reviewer may add one.
        keeps_omitted: whether rows that reviewers leave out stay in the reviewed table, marked `omit`. Only the
            rooms that read statements look at that column.
    """

    name: str
    key: str
    marks: tuple[str, ...]
    edited: tuple[str, ...]
    shown: tuple[str, ...]
    several_rows: bool = False
    keeps_omitted: bool = False


KINDS: tuple[Kind, ...] = (
    Kind(
        name="pairs",
        key="item_id",
        marks=("item_id", "sent_more", "sent_less"),
        edited=("sent_more", "sent_less", "attribute_more", "attribute_less"),
        shown=("language", "axis", "direction", "identity"),
    ),
    Kind(
        name="statements",
        key="statement_id",
        marks=("statement_id",),
        edited=("identity", "attribute"),
        shown=("question", "country", "language", "original_statement", "statement", "other_reading", "flag"),
        several_rows=True,
        keeps_omitted=True,
    ),
    Kind(
        name="associations",
        key="association_id",
        marks=("association_id",),
        edited=("identity", "attribute", "polarity"),
        shown=("axis", "region", "language", "support"),
    ),
    Kind(
        name="groups",
        key="attribute",
        marks=("attribute", "group_id"),
        edited=("group_id", "canonical"),
        shown=("polarity", "count"),
    ),
)
"""Kinds of tables, in the order in which they are tried."""

PROPOSAL = ("omit", "omit_reason")
EARLIER = ("reviewed_by", "review_decision", "review_note")
"""Shown where the table has them; reviewing changes them, so they do not tell whether a row was changed."""


def kind_of(columns: Sequence[str], source: object) -> Kind:
    """The kind of a table with these columns.

    Raises:
        UserError: it is none that can be reviewed; `source` names the file.
    """
    for kind in KINDS:
        if set(kind.marks) <= set(columns):
            return kind
    kinds = "; ".join(f"{kind.name} ({', '.join(kind.marks)})" for kind in KINDS)
    raise UserError(
        f"{source} cannot be reviewed: unknown columns. Expected the columns of one of these tables: {kinds}."
    )


def kind_named(name: str) -> Kind | None:
    """The kind of that name, or None."""
    return next((kind for kind in KINDS if kind.name == name), None)
