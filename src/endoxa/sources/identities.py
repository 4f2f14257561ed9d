"""One identity or attribute in several spellings is one: the rule by which every reader and instrument counts them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import polars as pl

from endoxa.sources.typography import plain_form, readable

_LOG = logging.getLogger(__name__)

_SHOWN = 3


@lru_cache(maxsize=1 << 16)
def identity_key(text: str) -> str:
    """What all spellings of an identity or attribute share: no case, no typography, single blanks, nothing not seen.

    Accents stay, because they tell words apart. The Turkish dotted capital is its small letter.
    """
    return " ".join(plain_form(text).casefold().replace("i\u0307", "i").split())


def identity_names(texts: pl.Series) -> pl.Series:
    """One name for all spellings of an identity: the first of them in lower case. Nothing stays nothing."""
    distinct = texts.drop_nulls().unique().sort()
    names: dict[str, str] = {}
    lower = distinct.str.to_lowercase()
    new = [names.setdefault(identity_key(text), low) for text, low in zip(distinct, lower, strict=True)]
    return texts.replace_strict(
        distinct, pl.Series(new, dtype=pl.String), default=None, return_dtype=pl.String
    )


def with_joined_names(table: pl.DataFrame) -> pl.DataFrame:
    """The table with one `identity` for all rows of an `identity_key`: the names it has, as in "femmes; mujeres".

    Rows without a key, and tables without that column, stay as they are.
    """
    if not {"identity", "identity_key"} <= set(table.columns):
        return table
    cells = ["identity", "identity_key"]
    counts = table.group_by(cells, maintain_order=True).len()
    names: dict[str, dict[str, Counter[str]]] = {}
    for identity, key, n in counts.fill_null("").filter(pl.col("identity_key") != "").iter_rows():
        spelt = names.setdefault(identity_key(key), {}).setdefault(identity_key(identity or key), Counter())
        spelt[identity or key] += n
    if not names:
        return table
    joined = {key: "; ".join(sorted(map(shown_spelling, each.values()))) for key, each in names.items()}
    shown = [joined.get(identity_key(key or ""), identity) for identity, key, _ in counts.iter_rows()]
    named = counts.select(cells).with_columns(_shown=pl.Series(shown, dtype=pl.String))
    together = table.join(named, on=cells, how="left", nulls_equal=True, maintain_order="left")
    return together.with_columns(identity=pl.col("_shown")).drop("_shown")


def _counted(texts: pl.Series) -> dict[str, Counter[str]]:
    """How often each spelling occurs, by key."""
    counts = texts.cast(pl.String).drop_nulls().to_frame("text").group_by("text", maintain_order=True).len()
    by_key: dict[str, Counter[str]] = {}
    for text, n in counts.iter_rows():
        if text.strip():
            by_key.setdefault(identity_key(text), Counter())[text] = n
    return by_key


def spellings(texts: pl.Series) -> dict[str, Counter[str]]:
    """How often each spelling occurs, by key, of what has several."""
    return {key: counts for key, counts in _counted(texts).items() if len(counts) > 1}


def shown_spelling(counts: Counter[str]) -> str:
    """The spelling to show: the most frequent one, the first of several, without what is not seen."""
    clean: Counter[str] = Counter()
    for text, n in counts.items():
        clean[" ".join(readable(text).split()) or text] += n
    return clean.most_common(1)[0][0]


def merged(counted: Mapping[str, Counter[str]], column: str = "identity") -> str:
    """A sentence that says which identities (or attributes) were taken together; empty where none was."""
    if not counted:
        return ""
    named = [f"'{shown_spelling(counts)}' ({len(counts)} spellings)" for counts in counted.values()]
    more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
    return f"Spellings taken as one {column} each: {', '.join(named[:_SHOWN])}{more}."


@lru_cache(maxsize=256)
def log_merged(source: str, sentence: str) -> None:
    """Say once what was taken together in a source."""
    _LOG.warning("%s%s", f"{source}: " if source else "", sentence)


def one_spelling(
    table: pl.DataFrame, columns: Sequence[str] = ("identity", "attribute"), source: str = ""
) -> pl.DataFrame:
    """The table with one spelling of every identity and attribute; what was taken together is logged.

    Args:
        table: any table.
        columns: columns that hold them; those that are not there are passed over.
        source: what the table is called in the line that is logged.
    """
    for name in columns:
        if name in table.columns:
            if sentence := merged(spellings(table[name]), name):
                log_merged(source, sentence)
            table = with_shown_spelling(table, name)
    return table


def with_shown_spelling(table: pl.DataFrame, column: str) -> pl.DataFrame:
    """The table with the spelling to show of everything in a column."""
    counted = _counted(table[column]).values()
    shown = {text: spelt for counts in counted for spelt in [shown_spelling(counts)] for text in counts}
    return table.with_columns(pl.col(column).replace(shown))
