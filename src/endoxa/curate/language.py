"""The language of short statements, with the respondent's other statements as context.

lingua (75 languages, character n-grams, made for short text) gives the probability of each statement under every
candidate language. A few words are often not enough ("Men cheat"), but people seldom change language from one statement
to the next. So each respondent is taken to write in an unknown mix of languages, and each statement to be drawn from
that mix: the mix is estimated by expectation-maximisation from the different statements of the respondent, with one
pseudo-statement that is spread as the languages of the whole survey are (a Dirichlet prior), and a statement's language
is the one with the largest posterior probability. A respondent who writes in two languages keeps both, because a clear
statement outweighs any mix.

The language of a table that does not say it: identified from its texts, and always said, never taken for English.

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

import numpy as np
import polars as pl

from endoxa.curate import library
from endoxa.errors import UserError
from endoxa.sources.bbq.items import texts_without_language
from endoxa.sources.files import require_file
from endoxa.sources.source import understood_once
from endoxa.words.packs import language_name, languages_with

COMMON = ("ar", "de", "en", "es", "fr", "hi", "id", "it", "pt", "so", "sw", "tr", "yo", "zu")
"""Candidates where nothing is said about the survey's languages."""

_ROUNDS = 50
_PRIOR = 1.0
"""Weight of the survey's mix in a respondent's, in statements."""
_ENOUGH = 2000
"""Characters of a statement that are looked at."""
_FLOOR = 1e-6
"""Least probability of a language for a statement: n-gram models are surer than they should be."""


@dataclass(frozen=True, slots=True)
class Identified:
    """An ISO 639-1 code, and how sure it is from 0 to 1."""

    code: str
    confidence: float


def language_code(name: str) -> str:
    """ISO 639 code of a language that a table names in English or by its own name ("Swahili", "Kiswahili" -> "sw").

    What has up to three letters, which is a code, and what has no entry in Unicode's CLDR stay as they are.
    """
    low = name.strip().lower()
    return low if len(low) <= len("swh") else _codes().get(low, low)


@lru_cache(maxsize=1)
def _codes() -> Mapping[str, str]:
    from babel import Locale

    english = {name.lower(): code for code, name in Locale("en").languages.items() if code.isalpha()}
    with_words = {code for file in ("terms.toml", "extract.toml") for code in languages_with(file)}
    return english | {language_name(code, code).lower(): code for code in with_words}


def identify(
    texts: Sequence[str], respondents: Sequence[str], candidates: Sequence[str] = ()
) -> list[Identified]:
    """The language of each text.

    Args:
        texts: statements.
        respondents: who said each; statements of one respondent are context for each other. Give every statement a
            name of its own to have each judged alone.
        candidates: ISO 639-1 codes to choose among; none given: `COMMON`.

    Raises:
        UserError: lingua is missing, or does not know a candidate.
    """
    codes = sorted(set(candidates or COMMON))
    if not texts:
        return []
    if len(codes) == 1:
        return [Identified(codes[0], 1.0)] * len(texts)
    text_probabilities = _probabilities(texts, codes)
    survey = _mix(
        text_probabilities[list({text: row for row, text in enumerate(texts)}.values())],
        np.full(len(codes), 1 / len(codes)),
    )
    posterior = np.empty_like(text_probabilities)
    people = np.array(respondents)
    for person in dict.fromkeys(respondents):
        rows = np.flatnonzero(people == person).tolist()
        different = list({texts[row]: row for row in rows}.values())
        mix = _mix(text_probabilities[different], survey)
        posterior[rows] = _posterior(text_probabilities[rows], mix)
    best = posterior.argmax(axis=1)
    return [Identified(codes[k], float(row[k])) for k, row in zip(best, posterior, strict=True)]


def _mix(probabilities: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Share of each language (expectation-maximisation of a mixture with known components)."""
    mix = prior
    for _ in range(_ROUNDS):
        mix = (_posterior(probabilities, mix).sum(axis=0) + _PRIOR * prior) / (len(probabilities) + _PRIOR)
    return mix


def _posterior(probabilities: np.ndarray, mix: np.ndarray) -> np.ndarray:
    joint = probabilities * mix
    posterior: np.ndarray = joint / joint.sum(axis=1, keepdims=True)
    return posterior


def _probabilities(texts: Sequence[str], codes: Sequence[str]) -> np.ndarray:
    """Probability by lingua of each language (columns) for each text (rows), never quite zero, summing to one."""
    lingua = library("lingua", "Identifying languages needs lingua")
    unknown = [code for code in codes if not hasattr(lingua.IsoCode639_1, code.upper())]
    if unknown:
        raise UserError(
            f"The language '{unknown[0]}' cannot be identified (it is not supported by lingua). Give the language with "
            f"--language {unknown[0]}, or name its column with language_column in the mapping."
        )
    isos = [lingua.IsoCode639_1.from_str(code.upper()) for code in codes]
    detector = lingua.LanguageDetectorBuilder.from_iso_codes_639_1(*isos).build()
    probabilities = np.zeros((len(texts), len(codes)))
    starts = [text[:_ENOUGH] for text in texts]
    for row, values in enumerate(detector.compute_language_confidence_values_in_parallel(starts)):
        for value in values:
            probabilities[row, codes.index(value.language.iso_code_639_1.name.lower())] = value.value
    probabilities = np.maximum(probabilities, _FLOOR)
    shares: np.ndarray = probabilities / probabilities.sum(axis=1, keepdims=True)
    return shares


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


def assumed_language(texts: Sequence[str], name: str) -> AssumedLanguage:
    """The language of texts that come without one.

    Args:
        texts: the texts, in the order of the table.
        name: the table, for messages.

    Raises:
        UserError: they are in several languages, or lingua is needed and missing.
    """
    some = texts[:: max(1, len(texts) // LOOKED_AT)][:LOOKED_AT]
    code = "en" if _plainly_english(some) else _identified(some, name)
    note = (
        f"{name} names no language: taken as {language_name(code)} ({code}), identified from its texts. If it is "
        f"another one, give --language CODE or a column 'language'."
    )
    return AssumedLanguage(code, note)


def with_language(
    table: pl.DataFrame, speaks: Callable[[Mapping[str, Any]], str], language: str | None, name: str
) -> pl.DataFrame:
    """The table with a language in every row: the one that is given, or else identified from the rows without one.

    Args:
        table: any table, with or without a column language.
        speaks: what a row says, from which its language can be told.
        language: the language of rows that name none.
        name: the table, for messages.

    Raises:
        UserError: it is not given and cannot be told.
    """
    if "language" not in table.columns:
        table = table.with_columns(pl.lit(None, pl.String).alias("language"))
    missing = table["language"].fill_null("").str.strip_chars() == ""
    if not missing.any():
        return table
    if language is None:
        identified = assumed_language([*map(speaks, table.filter(missing).iter_rows(named=True))], name)
        _LOG.warning("%s", identified.note)
        language = identified.code
    return table.with_columns(pl.when(missing).then(pl.lit(language)).otherwise("language").alias("language"))


def language_of_questions(path: Path, columns: Mapping[str, str] | None = None) -> AssumedLanguage | None:
    """The language that is taken for questions without one; None where all of the first ones name theirs.

    Raises:
        UserError: the file cannot be read, or its language cannot be told.
    """
    require_file(path)
    return _language(path, tuple(sorted((columns or {}).items())))


@understood_once
def _language(path: Path, columns: tuple[tuple[str, str], ...]) -> AssumedLanguage | None:
    texts = texts_without_language(path, dict(columns))
    return assumed_language(texts, path.name) if texts else None


def _plainly_english(texts: Sequence[str]) -> bool:
    words = [word for text in texts for word in re.findall(r"[^\W\d_]+", text.casefold())]
    return bool(words) and sum(word in _ENGLISH for word in words) >= _ENGLISH_SHARE * len(words)


def _identified(texts: Sequence[str], name: str) -> str:
    try:
        languages = identify(texts, [name] * len(texts), CANDIDATES)
    except UserError as problem:
        raise UserError(f"{name} names no language: give it with --language CODE. ({problem})") from problem
    counts = Counter(language.code for language in languages)
    code, most = counts.most_common(1)[0]
    if most < AGREEMENT * len(texts):
        several = ", ".join(candidate for candidate, _ in counts.most_common(3))
        raise UserError(
            f"{name} names no language, and its texts seem to be in several ({several}). Add a column 'language', or "
            f"give one for all with --language CODE."
        )
    return code
