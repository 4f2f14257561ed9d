"""The language of a table that does not say it: identified from its texts, and always said, never taken for English.

That of a file of questions is looked up once, however often the file is read.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.language import COMMON, identify, language_name
from endoxa.errors import UserError
from endoxa.sources.bbq import texts_without_language
from endoxa.sources.files import require_file

_LOG = logging.getLogger(__name__)

CANDIDATES = (
    *COMMON,
    *("af", "bn", "ca", "cs", "da", "el", "eu", "fa", "fi", "gu", "he", "hu", "ja", "ko", "mr", "nl", "pa"),
    *("pl", "ro", "ru", "sv", "ta", "te", "th", "tl", "uk", "ur", "vi", "zh"),
)
"""Languages among which one is chosen."""
LOOKED_AT = 100
"""Texts that are looked at, spread over the table."""
AGREEMENT = 0.8
"""Share of the texts that must be in the same language."""
_ENGLISH = frozenset(
    (
        *("the", "and", "of", "was", "is", "were", "are", "who", "which", "that", "to", "in", "with", "for"),
        *("they", "their", "he", "she", "it", "not", "people"),
    )
)
_ENGLISH_SHARE = 0.2
"""Share of these words from which texts are English without a closer look; other languages have below 5 %."""


@dataclass(frozen=True, slots=True)
class AssumedLanguage:
    """A language that a table does not name.

    Attributes:
        code: its ISO 639-1 code.
        note: the sentence about it for terminal and page.
    """

    code: str
    note: str


def assumed_language(texts: Sequence[str], name: str, option: str = "--language") -> AssumedLanguage:
    """The language of texts that come without one.

    Args:
        texts: the texts, in the order of the table.
        name: the table, for messages.
        option: the option that decides, for messages.

    Raises:
        UserError: they are in several languages, or lingua is needed and missing.
    """
    some = texts[:: max(1, len(texts) // LOOKED_AT)][:LOOKED_AT]
    code = "en" if _plainly_english(some) else _identified(some, name, option)
    note = (
        f"{name} names no language: taken as {language_name(code)} ({code}), identified from its texts. If it is "
        f"another one, give {option} CODE or a column 'language'."
    )
    return AssumedLanguage(code, note)


def with_language(
    table: pl.DataFrame,
    speaks: Callable[[Mapping[str, Any]], str],
    language: str | None,
    name: str,
    option: str = "--language",
) -> pl.DataFrame:
    """The table with a language in every row: the one that is given, or else identified from the rows without one.

    Args:
        table: any table, with or without a column language.
        speaks: what a row says, from which its language can be told.
        language: the language of rows that name none.
        name: the table, for messages.
        option: the option that decides, for messages.

    Raises:
        UserError: it is not given and cannot be told.
    """
    if "language" not in table.columns:
        table = table.with_columns(pl.lit(None, pl.String).alias("language"))
    missing = table["language"].fill_null("").str.strip_chars() == ""
    if not missing.any():
        return table
    if language is None:
        identified = assumed_language(
            list(map(speaks, table.filter(missing).iter_rows(named=True))), name, option
        )
        _LOG.warning("%s", identified.note)
        language = identified.code
    return table.with_columns(pl.when(missing).then(pl.lit(language)).otherwise("language").alias("language"))


def language_of_questions(path: Path, columns: Mapping[str, str] | None = None) -> AssumedLanguage | None:
    """The language that is taken for questions without one; None where all of the first ones name theirs.

    Raises:
        UserError: the file cannot be read, or its language cannot be told.
    """
    require_file(path)
    state = path.stat()
    return _language(path, tuple(sorted((columns or {}).items())), (state.st_mtime_ns, state.st_size))


@lru_cache(maxsize=8)
def _language(
    path: Path, columns: tuple[tuple[str, str], ...], _state: tuple[int, int]
) -> AssumedLanguage | None:
    texts = texts_without_language(path, dict(columns))
    return assumed_language(texts, path.name) if texts else None


def _plainly_english(texts: Sequence[str]) -> bool:
    words = [word for text in texts for word in re.findall(r"[^\W\d_]+", text.casefold())]
    return bool(words) and sum(word in _ENGLISH for word in words) >= _ENGLISH_SHARE * len(words)


def _identified(texts: Sequence[str], name: str, option: str) -> str:
    try:
        languages = identify(texts, [name] * len(texts), CANDIDATES)
    except UserError as problem:
        raise UserError(f"{name} names no language: give it with {option} CODE. ({problem})") from problem
    counts = Counter(language.code for language in languages)
    code, most = counts.most_common(1)[0]
    if most < AGREEMENT * len(texts):
        several = ", ".join(candidate for candidate, _ in counts.most_common(3))
        raise UserError(
            f"{name} names no language, and its texts seem to be in several ({several}). Add a column 'language', or "
            f"give one for all with {option} CODE."
        )
    return code
