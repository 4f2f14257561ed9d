"""Checks of wording that several kinds share: whether words are in a sentence, and what is odd about a pair."""

from __future__ import annotations

import re

from endoxa.author.kind import folded

SHOWN_CHECKS = frozenset(
    {
        "no-word-differs",
        "negation-only",
        "several-spans",
        "multiple-perturbations",
        "long-perturbation",
        "length-difference",
        "other-changes",
        "article",
        "pronoun",
        "doubled-word",
        "final-punctuation",
        "mixed-script-word",
        "mixed-scripts",
        "scripts-differ",
        "script-language",
    }
)
"""Checks of `endoxa datasets check` that say something about a draft of a pair."""


def holds(sentence: str, words: str) -> bool:
    """Whether a sentence has these words, in order, without regard to letters at their end ("woman's", "farmers")."""
    pattern = r"\W+".join(re.escape(_stem(word)) + r"\w*" for word in folded(words).split())
    return re.search(r"(?<!\w)" + pattern, sentence.casefold()) is not None


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 4 and word.endswith(("s", "e", "y")) else word


def pair_checks(more: str, less: str, language: str) -> tuple[str, ...]:
    """Names of the checks of pairs that find something in a draft."""
    from endoxa.sources.check import checks_of_pair

    return tuple(name for name in checks_of_pair(more, less, language) if name in SHOWN_CHECKS)
