"""What else may explain an effect size: few words in a set, tokens unknown to the encoder, precision, review."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from endoxa.instruments.association_tests.report.results import Associations
from endoxa.models.scoring import WORTH_SAYING
from endoxa.report.inputs import Run, entries
from endoxa.report.quoting import Diagnostic, precision, review
from endoxa.report.words import count, language_name, percent, plural

FEW_WORDS = 8
"""Words in each target set of the tests as published (Caliskan et al. 2017, WEAT 3 to 10)."""


def diagnostics(runs: Sequence[Run], results: Associations) -> Iterator[Diagnostic]:
    """Everything that is looked at in runs of association tests; a table alone tells of its words only.

    Args:
        runs: runs and tables.
        results: their tests.
    """
    yield from _words(results)
    for run in runs:
        yield from _unknown(run, results)
    for run in runs:
        yield from precision(run.facts, results.estimates.height, results.labels)
        yield from review(run.facts, results.estimates.height, "tests")


def _words(results: Associations) -> Iterator[Diagnostic]:
    """Tests whose smaller target set has few texts or terms: another choice of words may turn them."""
    sizes = results.estimates["clusters"].to_list()
    few, n, least = sum(size < FEW_WORDS for size in sizes), len(sizes), min(sizes)
    sentence = (
        f"In {count(few)} of {plural(n, 'result')} a target set has fewer than {FEW_WORDS} words (the smallest: "
        f"{count(least)}); another choice of words may turn such a result."
    )
    numbers = {"few": few, "needed": FEW_WORDS, "least": least}
    yield Diagnostic("words in a set", sentence, few > n / 2, n, value=few / n, numbers=numbers)


def _unknown(run: Run, results: Associations) -> Iterator[Diagnostic]:
    """Tokens that a tokenizer does not know, by language."""
    for model in entries(run.facts.get("models")):
        name, shares = str(model.get("name")), model.get("unknown_tokens")
        for language, share in shares.items() if isinstance(shares, Mapping) else ():
            sentence = (
                f"{results.labels.get(name, name)}: {percent(float(share))} of the tokens of its "
                f"{language_name(language) if language else 'own'} texts are unknown to it."
            )
            yield Diagnostic(
                "words the encoder does not know",
                sentence,
                float(share) > WORTH_SAYING,
                results.estimates.height,
                name,
                value=float(share),
            )
