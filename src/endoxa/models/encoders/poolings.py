"""Poolings: how the states of a text's tokens become one vector. A run records which was used.

`hidden` is the output of the chosen layer (batch x tokens x width, float32), `special` marks special tokens (batch x
tokens). A package adds its own through the entry-point group `endoxa.poolings`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from endoxa.registry import Registry
from endoxa.schema import Architecture

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class States:
    """What a network made of texts of one length.

    Attributes:
        hidden: states (batch x tokens x width), float32.
        ids: token ids (batch x tokens).
        special: True where the tokenizer put a special token (batch x tokens).
        cls_id: id of the classification token, or None.
    """

    hidden: Tensor
    ids: Tensor
    special: Tensor
    cls_id: int | None


@dataclass(frozen=True, slots=True)
class Pooling:
    """A named pooling.

    Attributes:
        name: word used on the command line (`--pooling`).
        special_tokens: whether the text is read with the special tokens its tokenizer adds.
        summary: one line for lists.
        source: paper or published code that uses it.
        needs: what every text must have for it, as the end of a sentence, or empty.
        present: (batch,) True where a text has it.
        pick: vectors (batch x width).
    """

    name: str
    special_tokens: bool
    summary: str
    source: str
    needs: str
    present: Callable[[States], Tensor]
    pick: Callable[[States], Tensor]


MODEL = "model"
"""The pooling that a sentence encoder or an embeddings server has built in."""
USUAL: dict[Architecture, str] = {"masked": "cls", "causal": "last", "encoder-decoder": "mean"}
"""What is taken where no pooling is named."""


def _is_cls(states: States) -> Tensor:
    return states.special & (states.ids == (-1 if states.cls_id is None else states.cls_id))


def _any(states: States) -> Tensor:
    return states.special.new_ones(len(states.ids))


def _mean_content(states: States) -> Tensor:
    content = (~states.special)[..., None]
    return (states.hidden * content).sum(1) / content.sum(1)


def _builtin() -> tuple[Pooling, ...]:
    return (
        Pooling(
            "cls",
            True,
            "state of the classification token ([CLS], <s>), wherever the tokenizer puts it",
            "May et al. 2019; IndiBias, Appendix B",
            "a classification token",
            lambda states: _is_cls(states).any(1),
            lambda states: states.hidden[_is_cls(states).cumsum(1).eq(1) & _is_cls(states)],
        ),
        Pooling(
            "mean",
            True,
            "mean over all tokens, special ones included",
            "bias-bench, seat.py (Meade et al. 2022)",
            "",
            _any,
            lambda states: states.hidden.mean(1),
        ),
        Pooling(
            "mean-content",
            True,
            "mean over the tokens of the text alone; special tokens are read but not counted",
            "Reimers and Gurevych 2019, less the special tokens",
            "a token that is not special",
            lambda states: (~states.special).any(1),
            _mean_content,
        ),
        Pooling(
            "last",
            True,
            "state of the last token, special or not: the one a causal model has read everything at",
            "May et al. 2019 (GPT)",
            "",
            _any,
            lambda states: states.hidden[:, -1],
        ),
        Pooling(
            "first-wordpiece",
            False,
            "state of the first token of the text read alone, without special tokens",
            "reference scores, first_wordpiece_no_special",
            "",
            _any,
            lambda states: states.hidden[:, 0],
        ),
    )


POOLINGS: Registry[Pooling] = Registry("pooling", "endoxa.poolings", _builtin)
"""Poolings of local transformer networks by name."""
