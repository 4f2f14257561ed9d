"""What should be looked at in a pair, and pairs that say the same twice."""

from __future__ import annotations

from collections.abc import Iterator

from endoxa.build.pairs.sentences import Sentences
from endoxa.build.pairs.templates import Template
from endoxa.datasets.check.negation import negates
from endoxa.datasets.check.perturbation import LENGTH_DIFFERENCE
from endoxa.datasets.spans import differing_spans, words


def remarks(made: Sentences, template: Template) -> Iterator[str]:
    """Reasons to look at a pair that is kept: differences in several places, or a difference in length.

    One place is right, or as many as the language's own negation has ("ne ... pas"). A summed log-probability prefers
    the shorter sentence whatever it says, so a pair that differs by three words or more measures length too.
    """
    own = len(differing_spans(words(template.said), words(template.denied)))
    spans = len(differing_spans(words(made.more), words(made.less)))
    if spans > max(1, own) and not negates(made.more, made.less, template.language):
        yield f"the sentences differ in {spans} places"
    difference = words_difference(made)
    if abs(difference) >= LENGTH_DIFFERENCE:
        yield f"one sentence is {abs(difference)} words longer than the other"


def words_difference(made: Sentences) -> int:
    """Words of the first sentence minus words of the second; a word is what stands between blanks."""
    return len(made.more.split()) - len(made.less.split())


def same_words(made: Sentences) -> tuple[str, str]:
    """What two pairs share that are the same but for capitals and punctuation."""
    more, less = (" ".join(word.folded for word in words(text)) for text in (made.more, made.less))
    return more, less
