"""The texts of association tests: each once, whatever sets and tests it stands in."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from endoxa.errors import UserError
from endoxa.models.encoders import Encoder
from endoxa.models.scoring import WORTH_SAYING
from endoxa.schema import AssociationTest

log = logging.getLogger(__name__)


def chosen_tests(
    tests: Sequence[AssociationTest], languages: Sequence[str], path: Path
) -> list[AssociationTest]:
    """The tests in one of `languages`, or all where none is named.

    Raises:
        UserError: there is none.
    """
    kept = [test for test in tests if not languages or test.language in languages]
    if not kept:
        there = ", ".join(sorted({test.language or "none named" for test in tests}))
        raise UserError(
            f"{path} contains no test in the language {', '.join(languages)}. Available: {there}."
        )
    return kept


def texts_of(test: AssociationTest) -> Iterator[str]:
    """Every text of the four sets of a test."""
    for terms in (test.x, test.y, test.a, test.b):
        yield from terms.texts


def distinct_texts(tests: Sequence[AssociationTest]) -> list[str]:
    """Every text of all tests once, in the order in which they first stand there."""
    return list(dict.fromkeys(text for test in tests for text in texts_of(test)))


def unknown_shares(encoder: Encoder, tests: Sequence[AssociationTest]) -> dict[str, float]:
    """Share (0 to 1) of tokens or words the encoder does not know, by language ('' where a test names none).

    An encoder made for one script reads another as a row of unknown tokens, and gives every text nearly the same
    vector; so the share is recorded and, where it matters, said. Empty where the encoder does not tell.
    """
    by_language: dict[str, dict[str, None]] = {}
    for test in tests:
        by_language.setdefault(test.language, {}).update(dict.fromkeys(texts_of(test)))
    shares = {language: encoder.unknown_share(list(texts)) for language, texts in sorted(by_language.items())}
    recorded = {language: share for language, share in shares.items() if share is not None}
    for language, share in recorded.items():
        if share > WORTH_SAYING:
            log.warning(
                "%s: %.0f %% of the tokens of its %stexts are unknown to the tokenizer; the vectors are unreliable",
                encoder.name,
                100 * share,
                f"'{language}' " if language else "",
            )
    return recorded
