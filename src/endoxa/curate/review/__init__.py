"""The review round trip: a table becomes a sheet for reviewers (`sheet`), sheets (`returned`) a table (`merge`).

Here is what a sheet asks, for each kind of table: which words may be changed, which are only shown.

The reasons for leaving a row out are the rules that AfriStereo's reviewers worked by (paper, section 3.3.3, and the
notes of its published sheets), in our words.

What spreadsheet programs do to texts by themselves, and how it is undone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from endoxa.errors import UserError
from endoxa.schema.characters import xml_text
from endoxa.sources.typography import unseen_removed

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


_INSTRUCTIONS = """\
# Before you start
This file holds what people reported that others say about groups of people. Much of it is unfair, some of it may \
offend or hurt you. It is reported speech, collected to find out whether language models repeat it: nobody claims \
that it is true, and to keep a row is not to agree with it.
You may stop at any time, skip any row and hand back what you have: empty rows are no fault.
# What to do
Go through the sheet 'Review' row by row. Choose a word in the green column 'decision':
{decisions}{edited}
# If the row should be left out
Choose 'omit', and one reason in the column 'reason':
{reasons}{split}
# Good to know
A row without a decision counts as not reviewed, unless you changed its words.
You may sort, filter, widen or hide columns. The other cells are locked against slips only; there is no password \
(Review > Unprotect Sheet). Do not rename columns, and keep the hidden ones.
Decide alone, without looking at another reviewer's sheet: where you differ, both answers are discussed."""
_EDITED = """
If words are wrong, correct them in the yellow columns ({}). The white cells stay as they are."""
_SPLIT = """
# If one statement says two things
Keep the first in its row. Write the second into an empty row at the end: its {}, and the corrected words in the \
yellow columns. What you leave empty there is taken from the first row."""


def instructions(kind: Kind, columns: Sequence[str]) -> list[tuple[str, bool]]:
    """The instructions for a sheet in which some columns may be changed: lines, and whether they are headings."""
    decisions, reasons = (
        "\n".join(f"    {word}: {meaning}" for word, meaning in words.items())
        for words in (DECISIONS, REASONS)
    )
    edited = _EDITED.format(" and ".join(f"'{name}'" for name in columns)) if columns else ""
    split = _SPLIT.format(kind.key) if kind.several_rows else ""
    text = _INSTRUCTIONS.format(decisions=decisions, edited=edited, reasons=reasons, split=split)
    return [(line.removeprefix("# "), line.startswith("# ")) for line in text.splitlines()]


CELL_LIMIT = 32_767
"""Characters that a cell of a spreadsheet can hold."""

_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\r"}
_ESCAPE_LIKE = re.compile(r"_x(?=[0-9A-Fa-f]{4}_)")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")

_QUOTES = str.maketrans(dict.fromkeys("‘’‚‛`´", "'") | dict.fromkeys("“”„‟«»", '"') | {"\u00a0": " "})
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


def shown(text: str) -> str:
    """The text as an XLSX cell can hold it: control characters become the signs that stand for them (␁)."""
    return xml_text(text.replace("\r\n", "\n").replace("\r", "\n").translate(_PICTURES))


def escaped(text: str) -> str:
    """Text in which nothing is taken for one of XLSX's escapes ('_x0041_' would be read as 'A')."""
    return _ESCAPE_LIKE.sub("_x005F_x", text)


def unescaped(text: str) -> str:
    """Undo `escaped`, and the escapes that spreadsheet programs write."""
    return _ESCAPED.sub(lambda code: chr(int(code[1], 16)), text)


def same(first: str, second: str) -> bool:
    """Whether two texts differ only in what spreadsheet programs change by themselves.

    That is: blanks at the ends, line endings, straight and curly quotes, no-break spaces, composed and decomposed
    letters, 3 and 3.0, true and TRUE, and characters that cannot be shown or seen.
    """
    return first == second or _seen(first) == _seen(second)


def _seen(text: str) -> str:
    plain = unseen_removed(shown(text)).translate(_QUOTES).strip()
    if _NUMBER.fullmatch(plain):
        return repr(float(plain))
    return plain.lower() if plain.lower() in ("true", "false") else plain
