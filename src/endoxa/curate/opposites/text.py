"""Attributes as words: one spelling of apostrophes, hyphens, case and white space."""

from __future__ import annotations

import unicodedata

import regex

_APOSTROPHES = regex.compile(r"[‘’‛`´ʼ′＇]")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*")
_NEGATED_VERB = regex.compile(r"(?<=\p{L})n't\b")


def plain(text: str) -> str:
    """`text` in NFKC, lower case, with straight apostrophes and single spaces."""
    text = _APOSTROPHES.sub("'", unicodedata.normalize("NFKC", text)).lower()
    return " ".join(text.split())


def words(text: str, *, split_apostrophes: bool = False) -> tuple[str, ...]:
    """The words of `text`: hyphens part words, "don't" is "do not", a possessive 's is left out.

    Args:
        text: an attribute, as it stands.
        split_apostrophes: take an apostrophe as the end of a word ("n'ont" is "n", "ont"), as French has it.
    """
    text = plain(text)
    if split_apostrophes:
        text = text.replace("'", " ")
    else:
        text = _NEGATED_VERB.sub(" not", text.replace("can't", "cannot"))
        text = regex.sub(r"'s?(?!\p{L})", "", text)
    return tuple(_WORD.findall(text))
