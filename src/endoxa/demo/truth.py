"""What a perfect model of the planted world would score, rule by rule, from its joint distribution.

Nothing here knows how a plant was made: every value is a sum over the enumerated sentences, so that it holds
what a rule adds to the planted log-odds (`pll`, say, how well the attribute gives the identity away).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache, partial

import numpy as np
import polars as pl

from endoxa.demo.world import Plant, load_sample, world
from endoxa.errors import UserError
from endoxa.instruments.pairs.probe.calibration import Comparisons
from endoxa.schema import Pair

PUNCTUATION = r"[.,?¿।]"
"""Marks that are words of their own, in the world and in the tokenizer of the planted models."""


def words(text: str) -> list[str]:
    """Lower-case words and punctuation marks: the tokens of the planted models."""
    return re.sub(f"({PUNCTUATION})", r" \1 ", text.lower()).split()


class Joint:
    """Exact log-probabilities (nats) of the sentences of one plant's world."""

    def __init__(self, plant: Plant) -> None:
        there = world(plant)
        self._sentence: defaultdict[str, float] = defaultdict(float)
        self._prompt: defaultdict[str, float] = defaultdict(float)
        self._rest: defaultdict[tuple[str | None, ...], float] = defaultdict(float)
        for prompt, sentence, p in zip(there.prompts, there.sentences, there.probability, strict=True):
            self._sentence[sentence] += p
            self._prompt[prompt] += p
            for rest in _rests(sentence):
                self._rest[rest] += p

    def sentence(self, text: str) -> float:
        """Log P(text).

        Raises:
            UserError: the text is not a sentence of the planted world.
        """
        if text not in self._sentence:
            raise UserError(f"'{text}' is not a sentence of the planted world: score the sample data set.")
        return float(np.log(self._sentence[text]))

    def completion(self, prompt: str, text: str) -> float:
        """Log P(text | prompt); each sentence answers one prompt."""
        return self.sentence(text) - float(np.log(self._prompt[prompt]))

    def tokens(self, text: str) -> np.ndarray:
        """Log P(word | all other words of the text and its length), one per word."""
        return self.sentence(text) - np.log([self._rest[rest] for rest in _rests(text)])


def _rests(text: str) -> Sequence[tuple[str | None, ...]]:
    """The words of the text with each one left out in turn."""
    tokens = words(text)
    return [(*tokens[:i], None, *tokens[i + 1 :]) for i in range(len(tokens))]


def _sum(joint: Joint, pair: Pair) -> float:
    return joint.sentence(pair.sent_more) - joint.sentence(pair.sent_less)


def _completion(joint: Joint, pair: Pair) -> float:
    return joint.completion(pair.prompt, pair.sent_more) - joint.completion(pair.prompt, pair.sent_less)


def _pll(joint: Joint, pair: Pair) -> float:
    return float(joint.tokens(pair.sent_more).sum() - joint.tokens(pair.sent_less).sum())


def _crows_token(joint: Joint, pair: Pair) -> float:
    in_more, in_less = joint.tokens(pair.sent_more), joint.tokens(pair.sent_less)
    blocks = SequenceMatcher(None, words(pair.sent_more), words(pair.sent_less)).get_matching_blocks()
    return float(sum(in_more[b.a : b.a + b.size].sum() - in_less[b.b : b.b + b.size].sum() for b in blocks))


_RULES: Mapping[str, Callable[[Joint, Pair], float]] = {
    "sum": _sum,
    "sum-bos": _sum,
    "completion": _completion,
    "pll": _pll,
    "crows-token": _crows_token,
}
PLANTED_RULES = tuple(_RULES)
"""Scoring rules whose planted values are known."""

_joint = lru_cache(Joint)


def planted_difference(plant: Plant, rule: str, items: pl.DataFrame) -> np.ndarray:
    """score_more - score_less that a perfect model of the plant gives each sample item.

    Args:
        plant: which world.
        rule: one of `PLANTED_RULES`.
        items: rows of the sample (columns of `PAIR_COLUMNS`), in any order and number.

    Returns:
        One value per row (nats), in the order of the rows.

    Raises:
        UserError: the rule has no planted value, or a sentence is not of the planted world.
    """
    value = _value(plant, rule)
    pairs = [
        Pair(item["sent_more"], item["sent_less"], item["direction"], item["prompt"] or "")
        for item in items.iter_rows(named=True)
    ]
    return np.array([value(pair) for pair in pairs], dtype=float)


def planted_neutral_difference(plant: Plant, rule: str, items: pl.DataFrame) -> np.ndarray:
    """As `planted_difference`, the median over what each item is compared with among the sample.

    NaN where it can be compared with nothing (`endoxa.instruments.pairs.probe.calibration`).
    """
    value = _value(plant, rule)
    comparisons = Comparisons(load_sample().iter_rows(named=True))
    groups = [comparisons.of(item)[1] for item in items.iter_rows(named=True)]
    medians = [float(np.median([value(pair) for pair in pairs])) if pairs else np.nan for pairs in groups]
    return np.array(medians, dtype=float)


def _value(plant: Plant, rule: str) -> Callable[[Pair], float]:
    if rule not in _RULES:
        raise UserError(f"The planted value of rule '{rule}' is not known; known are {', '.join(_RULES)}.")
    return partial(_RULES[rule], _joint(plant))
