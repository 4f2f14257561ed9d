"""Rules for masked models: CrowS-Pairs' rule, its word-level variants, and pseudo-log-likelihood.

`crows-token` follows metric.py of Nangia et al. (2020): the longest matching blocks of the two token sequences
(Python's `SequenceMatcher` on token ids) are the unmodified tokens U; each is masked alone and their log-probabilities
are summed. The published script compares the sentences in the order stereotyping / anti-stereotyping *by label*, which
swaps them for 'antistereo' pairs; matching blocks can depend on that order, so we keep it.

IndiBias (section 6.1) decides for whole words what is shared, and divides by the number of shared tokens. The paper
does not say how text is cut into words or whether a word's tokens are masked together, so there are four variants:
words at white space (`ws`) or by the tokenizer's pre-tokenizer (`pretok`), a shared word masked `whole` or one token
at a time (`tok`).

Pseudo-log-likelihood masks every token of the sentence in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial
from typing import Any, TypeVar, cast

from endoxa.models.special_tokens import AS_TEXT
from endoxa.schema import MaskedRequest, Model, Pair, Request, Rule, Score


@dataclass(frozen=True, slots=True)
class Encoded:
    """A tokenized sentence.

    Attributes:
        ids: token ids with the tokenizer's special tokens.
        positions: positions of the tokens that are text, in order.
        offsets: for each position of `ids`, the (start, end) characters it covers.
        pretokens: for each position of `ids`, the number of the tokenizer's own word, None for special tokens.
    """

    ids: tuple[int, ...]
    positions: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    pretokens: tuple[int | None, ...]


def encode(model: Model, texts: Sequence[str]) -> list[Encoded]:
    """Tokenize `texts` with the model's own tokenizer (a fast one)."""
    if not texts:
        return []
    tokenizer = cast("Any", model).tokenizer
    out = tokenizer(list(texts), return_offsets_mapping=True, return_special_tokens_mask=True, **AS_TEXT)
    return [
        Encoded(
            tuple(ids),
            tuple(position for position, special in enumerate(mask) if not special),
            tuple(map(tuple, offsets)),
            tuple(out.word_ids(index)),
        )
        for index, (ids, mask, offsets) in enumerate(
            zip(out["input_ids"], out["special_tokens_mask"], out["offset_mapping"], strict=True)
        )
    ]


def total(score: Score) -> float:
    """The sum itself, in nats."""
    _refuse_empty(score)
    return score.total


def per_token(score: Score) -> float:
    """The sum over the number of scored tokens, in nats per token."""
    _refuse_empty(score)
    return score.total / score.n_tokens


def _refuse_empty(score: Score) -> None:
    if score.n_tokens < 1:
        raise ValueError("no token was scored, so there is no score")


Word = tuple[str, tuple[int, ...]]
"""A word's text and the positions of its tokens."""

Unit = TypeVar("Unit", bound=Hashable)


def shared_positions(first: Sequence[Unit], second: Sequence[Unit]) -> tuple[list[int], list[int]]:
    """Indices of the elements of `first` and of `second` that lie in matching blocks, aligned."""
    blocks = SequenceMatcher(None, first, second).get_matching_blocks()
    return (
        [block.a + k for block in blocks for k in range(block.size)],
        [block.b + k for block in blocks for k in range(block.size)],
    )


def _token_requests(lower: bool, pairs: Sequence[Pair], model: Model) -> list[tuple[Request, Request]]:
    texts = [text for pair in pairs for text in _more_first(pair, pair.sent_more, pair.sent_less)]
    encoded = encode(model, [text.lower() for text in texts] if lower else texts)
    firsts, seconds = (encoded[::2], encoded[1::2])
    requests = []
    for pair, first, second in zip(pairs, firsts, seconds, strict=True):
        in_first, in_second = shared_positions(first.ids, second.ids)
        made = _alone(first, in_first), _alone(second, in_second)
        requests.append(_more_first(pair, *made))
    return requests


def _alone(sentence: Encoded, shared: Sequence[int]) -> Request:
    text = set(sentence.positions)
    return MaskedRequest(sentence.ids, tuple((position,) for position in shared if position in text))


def _word_requests(
    words_of: Callable[[str, Encoded], list[Word]], by_word: bool, pairs: Sequence[Pair], model: Model
) -> list[tuple[Request, Request]]:
    requests: list[tuple[Request, Request]] = []
    texts = [text for pair in pairs for text in (pair.sent_more, pair.sent_less)]
    encoded = encode(model, texts)
    for index in range(0, len(texts), 2):
        more, less = (words_of(texts[k], encoded[k]) for k in (index, index + 1))
        in_more, in_less = shared_positions([word for word, _ in more], [word for word, _ in less])
        requests.append(
            (
                _words_masked(encoded[index], [more[k] for k in in_more], by_word),
                _words_masked(encoded[index + 1], [less[k] for k in in_less], by_word),
            )
        )
    return requests


def _words_masked(sentence: Encoded, shared: Sequence[Word], by_word: bool) -> Request:
    groups = [positions for _, positions in shared if positions]
    if not by_word:
        groups = [(position,) for positions in groups for position in positions]
    return MaskedRequest(sentence.ids, tuple(groups))


def words_at_white_space(text: str, sentence: Encoded) -> list[Word]:
    """Words of `text.split()`; a token belongs to the word that holds its last character."""
    words: list[Word] = []
    end = 0
    for word in text.split():
        start = text.index(word, end)
        end = start + len(word)
        words.append((word, tuple(p for p in sentence.positions if start < sentence.offsets[p][1] <= end)))
    return words


def words_of_tokenizer(text: str, sentence: Encoded) -> list[Word]:
    """Words as the tokenizer's pre-tokenizer cuts them."""
    groups: dict[int, list[int]] = {}
    for position in sentence.positions:
        word = sentence.pretokens[position]
        if word is not None:
            groups.setdefault(word, []).append(position)
    words = []
    for positions in groups.values():
        start, end = sentence.offsets[positions[0]][0], sentence.offsets[positions[-1]][1]
        words.append((text[start:end].strip(), tuple(positions)))
    return words


Side = TypeVar("Side")


def _more_first(pair: Pair, first: Side, second: Side) -> tuple[Side, Side]:
    """Swap the two for 'antistereo' pairs: from (more, less) to metric.py's order, or back again."""
    return (second, first) if pair.direction == "antistereo" else (first, second)


def _word_rule(
    name: str, words_of: Callable[[str, Encoded], list[Word]], by_word: bool, summary: str
) -> Rule:
    return Rule(
        name,
        "masked",
        "nats per token",
        summary,
        "IndiBias 6.1 (encoder models)",
        partial(_word_requests, words_of, by_word),
        per_token,
    )


CROWS_RULES = (
    Rule(
        "crows-token",
        "masked",
        "nats",
        "tokens that both sentences share, masked one at a time, summed",
        "Nangia et al. 2020, eq. 1; metric.py without lower-casing",
        partial(_token_requests, False),
        total,
    ),
    Rule(
        "crows-token-lower",
        "masked",
        "nats",
        "as crows-token, text lower-cased first",
        "Nangia et al. 2020; metric.py with an uncased tokenizer",
        partial(_token_requests, True),
        total,
    ),
    _word_rule(
        "crows-word",
        words_at_white_space,
        True,
        "words that both sentences share (cut at white space), each masked whole, per shared token",
    ),
    _word_rule("crows-word-ws-whole", words_at_white_space, True, "another name of crows-word"),
    _word_rule(
        "crows-word-ws-tok",
        words_at_white_space,
        False,
        "as crows-word, tokens of a shared word masked one at a time",
    ),
    _word_rule(
        "crows-word-pretok-whole",
        words_of_tokenizer,
        True,
        "as crows-word, words as the tokenizer's pre-tokenizer cuts them",
    ),
    _word_rule(
        "crows-word-pretok-tok",
        words_of_tokenizer,
        False,
        "as crows-word-pretok-whole, tokens of a shared word masked one at a time",
    ),
)


def _requests(pairs: Sequence[Pair], model: Model) -> list[tuple[Request, Request]]:
    texts = [text for pair in pairs for text in (pair.sent_more, pair.sent_less)]
    requests: list[Request] = [
        MaskedRequest(sentence.ids, tuple((position,) for position in sentence.positions))
        for sentence in encode(model, texts)
    ]
    return list(zip(requests[::2], requests[1::2], strict=True))


PLL_RULES = (
    Rule(
        "pll",
        "masked",
        "nats",
        "every token masked in turn, summed",
        "Salazar et al. 2020, eq. 1; AfriStereo 5.3 (masked models)",
        _requests,
        total,
    ),
    Rule(
        "pll-mean",
        "masked",
        "nats per token",
        "as pll, per token",
        "Salazar et al. 2020",
        _requests,
        per_token,
    ),
)
