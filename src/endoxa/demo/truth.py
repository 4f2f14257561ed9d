"""What a perfect model of the planted world would score, rule by rule, from its joint distribution.

Nothing here knows how a plant was made: every value is a sum over the enumerated sentences, so what a rule adds
to the planted log-odds (under `pll`, say, how well the attribute gives the identity away) is in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from endoxa.demo.world import NEUTRAL_IDENTITIES, Plant, swap_identity, world
from endoxa.errors import UserError

PUNCTUATION = r"[.,?¿।]"
"""Marks that are words of their own, in the world and in the tokenizer of the planted models."""


def words(text: str) -> list[str]:
    """Lower-case words and punctuation marks: the tokens of the planted models."""
    return re.sub(f"({PUNCTUATION})", r" \1 ", text.lower()).split()


class Joint:
    """Exact log-probabilities (nats) of the sentences of one plant's world."""

    def __init__(self, plant: Plant) -> None:
        there = world(plant)
        self._sentence: Counter[str] = Counter()
        self._prompt: Counter[str] = Counter()
        self._rest: Counter[tuple[str | None, ...]] = Counter()
        for prompt, sentence, p in zip(there.prompts, there.sentences, there.probability, strict=True):
            self._sentence[sentence] += p
            self._prompt[prompt] += p
            for rest in _rests(sentence):
                self._rest[rest] += p

    def sentence(self, text: str) -> float:
        """log P(text).

        Raises:
            UserError: the text is not a sentence of the planted world.
        """
        if text not in self._sentence:
            raise UserError(f"'{text}' is not a sentence of the planted world: score the sample data set.")
        return float(np.log(self._sentence[text]))

    def completion(self, prompt: str, text: str) -> float:
        """log P(text | prompt); each sentence answers one prompt."""
        return self.sentence(text) - float(np.log(self._prompt[prompt]))

    def tokens(self, text: str) -> np.ndarray:
        """log P(word | all other words of the text and its length), one per word."""
        return self.sentence(text) - np.log([self._rest[rest] for rest in _rests(text)])


def _rests(text: str) -> Iterable[tuple[str | None, ...]]:
    """The words of the text with each one left out in turn."""
    whole = words(text)
    return [(*whole[:i], None, *whole[i + 1 :]) for i in range(len(whole))]


def _sum(joint: Joint, item: Mapping[str, Any]) -> float:
    return joint.sentence(item["sent_more"]) - joint.sentence(item["sent_less"])


def _completion(joint: Joint, item: Mapping[str, Any]) -> float:
    return joint.completion(item["prompt"], item["sent_more"]) - joint.completion(item["prompt"], item["sent_less"])


def _pll(joint: Joint, item: Mapping[str, Any]) -> float:
    return float(joint.tokens(item["sent_more"]).sum() - joint.tokens(item["sent_less"]).sum())


def _crows_token(joint: Joint, item: Mapping[str, Any]) -> float:
    more, less = item["sent_more"], item["sent_less"]
    blocks = SequenceMatcher(None, words(more), words(less), autojunk=False).get_matching_blocks()
    in_more, in_less = joint.tokens(more), joint.tokens(less)
    return float(sum(in_more[b.a : b.a + b.size].sum() - in_less[b.b : b.b + b.size].sum() for b in blocks))


_RULES: Mapping[str, Callable[[Joint, Mapping[str, Any]], float]] = {
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
    """score_more - score_less (nats) that a perfect model of the plant gives each sample item.

    Args:
        plant: which world.
        rule: one of `PLANTED_RULES`.
        items: rows of the sample (`sent_more`, `sent_less`, `prompt`), in any order and number.

    Returns:
        One value per row, in the order of the rows.

    Raises:
        UserError: the rule has no planted value, or a sentence is not of the sample.
    """
    if rule not in _RULES:
        raise UserError(f"The planted value of rule '{rule}' is not known; known are {', '.join(_RULES)}.")
    joint, value = _joint(plant), _RULES[rule]
    return np.array([value(joint, item) for item in items.iter_rows(named=True)], dtype=float)


def planted_neutral_difference(plant: Plant, rule: str, items: pl.DataFrame) -> np.ndarray:
    """As `planted_difference`, averaged over the neutral identities in the place of each item's identity."""
    differences = [planted_difference(plant, rule, _neutral(item)).mean() for item in items.iter_rows(named=True)]
    return np.array(differences, dtype=float)


def _neutral(item: Mapping[str, Any]) -> pl.DataFrame:
    """The item once for each neutral identity of its language and agreement."""
    return pl.DataFrame(
        {text: swap_identity(item[text], item["identity"], other) for text in ("sent_more", "sent_less", "prompt")}
        for other in NEUTRAL_IDENTITIES[item["language"], item["agreement"] or ""]
    )
