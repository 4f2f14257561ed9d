"""Whether two sentences differ in one thing only: the words that differ, and what a reviewer should look at.

The checks are those of `endoxa datasets check`; here each has a sentence in the reviewer's language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

IDENTICAL = "identical-sentences"

_SCRIPTS = gettext_lazy("Letters stand here that do not belong to the language, or to each other.")
_PLACES = gettext_lazy("The sentences differ in several places. Look whether all belong to one change.")
WARNINGS: dict[str, Promise] = {
    IDENTICAL: gettext_lazy("Both sentences are the same: such a pair measures nothing."),
    "no-word-differs": gettext_lazy("Only capitals, blanks or punctuation differ."),
    "negation-only": gettext_lazy(
        "One sentence only denies the other. An opposite is better, where there is one."
    ),
    "several-spans": _PLACES,
    "multiple-perturbations": _PLACES,
    "long-perturbation": gettext_lazy("A long part differs. The shorter, the better."),
    "length-difference": gettext_lazy("One sentence is longer than the other by several words."),
    "other-changes": gettext_lazy("A word that both share is written with other capitals."),
    "article": gettext_lazy("“a” or “an” does not fit the next word."),
    "pronoun": gettext_lazy("A pronoun still fits the other gender."),
    "doubled-word": gettext_lazy("A word stands twice in a row."),
    "final-punctuation": gettext_lazy("The sentences end in different punctuation."),
    "mixed-script-word": _SCRIPTS,
    "mixed-scripts": _SCRIPTS,
    "scripts-differ": _SCRIPTS,
    "script-language": _SCRIPTS,
}
"""Checks that reviewers see, with their messages."""

_AGREEMENT = gettext_lazy("Adjectives and participles agree with their noun: look at both sentences.")
_GENDER_VERBS = gettext_lazy("Verbs agree with gender: look at the end of both sentences.")
_ONE_PRONOUN = gettext_lazy(
    "“He” and “she” are one word in this language: look whether the sentences still differ."
)
_CLASSES = gettext_lazy("Verbs and adjectives agree with the class of the noun: look at both sentences.")
HINTS: dict[str, tuple[Promise, ...]] = {
    **dict.fromkeys(("fr", "es", "pt", "it", "ro", "de", "ru", "uk", "pl"), (_AGREEMENT,)),
    **dict.fromkeys(("ar", "he", "ur", "mr", "pa"), (_AGREEMENT, _GENDER_VERBS)),
    "hi": (_ONE_PRONOUN, _GENDER_VERBS),
    "bn": (_ONE_PRONOUN,),
    **dict.fromkeys(("tr", "fa", "fi", "hu", "id", "yo", "ig"), (_ONE_PRONOUN,)),
    **dict.fromkeys(("sw", "zu", "xh", "rw", "ln"), (_ONE_PRONOUN, _CLASSES)),
}
"""What to look at in a language (ISO 639)."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a sentence; `differs` where the other sentence has something else."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """Two sentences side by side.

    Attributes:
        more: the first sentence in stretches.
        less: the second one.
        checks: names of the checks that found something.
        identical: both are the same text.
    """

    more: tuple[Stretch, ...]
    less: tuple[Stretch, ...]
    checks: tuple[str, ...]
    identical: bool

    @property
    def warnings(self) -> list[Promise]:
        """What the checks found, each sentence once."""
        return list({id(WARNINGS[name]): WARNINGS[name] for name in self.checks}.values())


def compare(more: str, less: str, language: str) -> Compared:
    """Compare the sentences of a pair.

    Args:
        more: one sentence.
        less: the other.
        language: ISO 639 code; some checks know some languages only.
    """
    from endoxa.sources.typography import differing_spans, words

    spans = differing_spans(words(more), words(less))
    from endoxa.sources.check import checks_of_pair

    return Compared(
        more=_stretches(more, [(span.start_more, span.end_more) for span in spans]),
        less=_stretches(less, [(span.start_less, span.end_less) for span in spans]),
        checks=tuple(name for name in checks_of_pair(more, less, language) if name in WARNINGS),
        identical=" ".join(more.split()) == " ".join(less.split()),
    )


def hints(language: str) -> tuple[Promise, ...]:
    """What to look at in a language; nothing where we do not know."""
    return HINTS.get(language.replace("_", "-").split("-")[0].lower(), ())


def _stretches(sentence: str, spans: Sequence[tuple[int, int]]) -> tuple[Stretch, ...]:
    """The sentence letter by letter, with the words of the spans apart."""
    places = [match.span() for match in re.finditer(r"\S+", sentence) if re.search(r"[^\W_]", match.group())]
    made, at = [], 0
    for first, after in spans:
        if first == after or after > len(places):
            continue
        start, end = places[first][0], places[after - 1][1]
        made += [Stretch(sentence[at:start], differs=False), Stretch(sentence[start:end], differs=True)]
        at = end
    made.append(Stretch(sentence[at:], differs=False))
    return tuple(stretch for stretch in made if stretch.text)
