"""What an encoder is, how it is written, what a kind of encoders declares, and how states become one vector."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from endoxa.errors import UserError
from endoxa.models.spec import DEFAULT_MAX_UNKNOWN, ModelOptions
from endoxa.registry import Registry
from endoxa.schema import Architecture

if TYPE_CHECKING:
    from torch import Tensor


SHOWN = 60
"""Characters of a text that a message quotes."""
Vector = npt.NDArray[np.float32]
"""Vector of a text (width,), or of several (texts x width)."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text that is done.

    Attributes:
        index: place of the text among those given.
        vectors: its vector (width,) under each pooling.
    """

    index: int
    vectors: Mapping[str, Vector]


@dataclass(frozen=True, slots=True)
class EncoderOptions:
    """How an encoder is loaded and read; part of the run's identity.

    Attributes:
        model: device, type, revision and so on of local weights.
        layer: whose output is pooled: 0 is the embedding layer, 1 the first block; None the last one.
        max_unknown: share (0 to 1) of the different words that a file of word vectors may lack.
    """

    model: ModelOptions = field(default_factory=ModelOptions)
    layer: int | None = None
    max_unknown: float = DEFAULT_MAX_UNKNOWN


class Encoder(Protocol):
    """Anything that gives texts vectors. Implementations: the modules of this package."""

    @property
    def name(self) -> str:
        """The encoder as written on the command line."""
        ...

    @property
    def poolings(self) -> tuple[str, ...]:
        """Names of the vectors it gives each text."""
        ...

    def describe(self) -> Mapping[str, Any]:
        """What `run.json` records: revision, type, device, layer, unknown words."""
        ...

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """Share (0 to 1) of the tokens of `texts` that are not known; None where that cannot be told."""
        ...

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        """Yield every text once, as batches finish, in any order; equal texts have equal vectors.

        Raises:
            UserError: a text cannot be given an honest vector.
        """
        ...


class BatchEncoder(ABC):
    """An encoder of this process: every distinct input goes through it once, in batches of inputs of one shape.

    Args:
        name: the encoder as written.
        poolings: names of the vectors it gives each text.
        batch_tokens: maximum number of tokens of a batch.
    """

    def __init__(self, name: str, poolings: Sequence[str], batch_tokens: int) -> None:
        self.name, self.poolings, self.batch_tokens = name, tuple(poolings), batch_tokens

    @abstractmethod
    def _inputs(self, texts: Sequence[str]) -> Sequence[Hashable]:
        """What of each text is encoded; equal inputs have equal vectors.

        Raises:
            UserError: a text cannot be given an honest vector.
        """

    @abstractmethod
    def _shape(self, each: Any) -> tuple[int, ...]:
        """What must be equal within a batch, the number of tokens first."""

    @abstractmethod
    def _vectors(self, batch: Sequence[Any]) -> Sequence[Mapping[str, Vector]]:
        """Vectors of inputs of one shape, by pooling."""

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        """See `Encoder.encode`."""
        from endoxa.models.networks import equal_length_batches, halve_when_full

        places: dict[Any, list[int]] = {}
        for index, each in enumerate(self._inputs(texts)):
            places.setdefault(each, []).append(index)
        for batch in equal_length_batches(list(places), self._shape, self.batch_tokens):
            for each, vectors in halve_when_full(batch, self._vectors):
                if not all(np.isfinite(vector).all() for vector in vectors.values()):
                    text = texts[places[each][0]][:SHOWN]
                    raise UserError(
                        f"'{self.name}' gives '{text}' a vector that is not finite: try --set dtype=float32."
                    )
                for index in places[each]:
                    yield Encoded(index, vectors)


def refuse_unreadable(name: str, text: str, ids: Sequence[int], limit: int | None, problem: str) -> None:
    """Refuse a text that would be cut without a word, or read as something else.

    Args:
        name: the encoder as written.
        text: the text.
        ids: its tokens, special ones included.
        limit: maximum number of tokens that the encoder reads, or None.
        problem: what `endoxa.models.special_tokens.SpecialTokens.problem` says of them.

    Raises:
        UserError: the text cannot be encoded.
    """
    if limit is not None and len(ids) > limit:
        raise UserError(
            f"The text '{text[:SHOWN]}...' has {len(ids)} tokens and '{name}' reads at most {limit}: shorten it or "
            "take it out of the tests."
        )
    if problem:
        raise UserError(
            f"The text '{text[:SHOWN]}' cannot be encoded with '{name}': {problem}. Take it out of the tests."
        )


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """An encoder as written.

    Attributes:
        text: the words themselves; they name the encoder in every vector file and estimate.
        kind: name of its `EncoderKind`.
        target: hub id, folder, file, or the server's base URL.
        served_name: the model's name on the server, else empty.
    """

    text: str
    kind: str
    target: str
    served_name: str = ""


@dataclass(frozen=True, slots=True)
class EncoderFacts:
    """A fingerprint that changes with the files (None where it cannot be had), and the usual pooling."""

    fingerprint: str | None
    usual: str


def after_slash(text: str, kind: EncoderKind) -> EncoderSpec:
    """Read `KIND/TARGET`.

    Raises:
        UserError: there is no target.
    """
    target = text.partition("/")[2]
    if not target:
        raise UserError(
            f"Cannot read the encoder '{text}': nothing follows '{kind.name}/'. Give {kind.form}."
        )
    return EncoderSpec(text, kind.name, target)


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderKind:
    """A kind of encoder, and everything that is particular about it.

    One is added by an entry point of the group `endoxa.encoders`; ours are listed in `endoxa.models.encoders`.
    The other rooms ask a kind for its properties and know none by name.

    Attributes:
        name: the word in front of the slash (`static/FILE`).
        form: how its encoders are written, for messages; empty where nobody writes them.
        look: recognises an encoder from its files; no weights are read into memory.
        open: loads an encoder, given the poolings that fit it and every text that will be encoded; several encoders
            where one cannot give all the poolings.
        check: refuses texts that an encoder cannot read, from its tokenizer alone; None where only the encoder tells.
        poolings: names of the poolings that an encoder offers.
        read: reads the words of an encoder.
        prefixes: beginnings of the words it reads, where they are not `name/`.
        takes_layers: the settings layer and tokenizer are for it.
        libraries: distributions it needs.
        install: the command that installs them.
    """

    name: str
    form: str
    look: Callable[[EncoderSpec, EncoderOptions], EncoderFacts]
    open: Callable[[EncoderSpec, EncoderOptions, Sequence[str], Sequence[str]], list[Encoder]]
    poolings: Callable[[EncoderSpec], tuple[str, ...]]
    read: Callable[[str, EncoderKind], EncoderSpec] = after_slash
    check: Callable[[EncoderSpec, EncoderOptions, Sequence[str], Sequence[str]], object] | None = None
    prefixes: tuple[str, ...] = ()
    takes_layers: bool = False
    libraries: tuple[str, ...] = ()
    install: str = ""

    def takes(self, text: str) -> bool:
        """These words name an encoder of this kind, well or badly."""
        return text.startswith(self.prefixes or (f"{self.name}/",))


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


def _every_text(states: States) -> Tensor:
    return states.special.new_ones(len(states.ids))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooling:
    """A named pooling.

    Attributes:
        name: word used on the command line (`--pooling`).
        summary: one line for lists.
        source: paper or published code that uses it.
        pick: vectors (batch x width).
        special_tokens: whether the text is read with the special tokens its tokenizer adds.
        needs: what every text must have for it, as the end of a sentence, or empty.
        present: (batch,) True where a text has it.
    """

    name: str
    summary: str
    source: str
    pick: Callable[[States], Tensor]
    special_tokens: bool = True
    needs: str = ""
    present: Callable[[States], Tensor] = _every_text


MODEL = "model"
"""The pooling that a sentence encoder or an embeddings server has built in."""
USUAL: dict[Architecture, str] = {"masked": "cls", "causal": "last", "encoder-decoder": "mean"}
"""What is taken where no pooling is named."""


def _is_cls(states: States) -> Tensor:
    return states.special & (states.ids == (-1 if states.cls_id is None else states.cls_id))


def _mean_content(states: States) -> Tensor:
    content = (~states.special)[..., None]
    return (states.hidden * content).sum(1) / content.sum(1)


def _builtin() -> tuple[Pooling, ...]:
    return (
        Pooling(
            name="cls",
            summary="state of the classification token ([CLS], <s>), wherever the tokenizer puts it",
            source="May et al. 2019; IndiBias, Appendix B",
            pick=lambda states: states.hidden[_is_cls(states).cumsum(1).eq(1) & _is_cls(states)],
            needs="a classification token",
            present=lambda states: _is_cls(states).any(1),
        ),
        Pooling(
            name="mean",
            summary="mean over all tokens, special ones included",
            source="bias-bench, seat.py (Meade et al. 2022)",
            pick=lambda states: states.hidden.mean(1),
        ),
        Pooling(
            name="mean-content",
            summary="mean over the tokens of the text alone; special tokens are read but not counted",
            source="Reimers and Gurevych 2019, less the special tokens",
            pick=_mean_content,
            needs="a token that is not special",
            present=lambda states: (~states.special).any(1),
        ),
        Pooling(
            name="last",
            summary="state of the last token, special or not: the one a causal model has read everything at",
            source="May et al. 2019 (GPT)",
            pick=lambda states: states.hidden[:, -1],
        ),
        Pooling(
            name="first-wordpiece",
            summary="state of the first token of the text read alone, without special tokens",
            source="reference scores, first_wordpiece_no_special",
            pick=lambda states: states.hidden[:, 0],
            special_tokens=False,
        ),
    )


POOLINGS: Registry[Pooling] = Registry("pooling", "endoxa.poolings", _builtin)
"""Poolings of local transformer networks by name."""
