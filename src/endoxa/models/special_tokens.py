"""Special tokens that stand in a text: '</s>' in a sentence is four characters, not the end of the sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

WRITTEN = re.compile(
    r"<\|[^|<>\s]+\|>|</?s>|<(?:bos|eos|pad|unk|mask|sep|cls)>|\[(?:CLS|SEP|MASK|PAD|UNK|/?INST)\]|<extra_id_\d+>"
    r"|<(?:start|end)_of_turn>",
    re.IGNORECASE,
)
"""Usual spellings, where the tokenizer is not here to be asked."""


AS_TEXT = {"split_special_tokens": True}
"""Argument of a tokenizer: special tokens in the text are read as the characters they are written with."""


MARK = "\ufdd0"
"""Around special tokens in the messages of a conversation: a character that Unicode keeps out of texts."""


def reason(token: str) -> str:
    """Why a text with this token cannot be scored."""
    return f"it holds '{token}', which the model reads as a special token and not as text"


@dataclass(frozen=True, slots=True)
class SpecialTokens:
    """The special tokens of a tokenizer.

    Attributes:
        names: how each is written, by its id; the unknown token is left out, since any text may hold unknown words.
        added: how many of them the tokenizer puts around a text.
    """

    names: Mapping[int, str]
    added: int

    @classmethod
    def of(cls, tokenizer: Any) -> SpecialTokens:
        """Those of a fast tokenizer."""
        names = dict(zip(tokenizer.all_special_ids, tokenizer.all_special_tokens, strict=True))
        names |= {
            token: str(added) for token, added in tokenizer.added_tokens_decoder.items() if added.special
        }
        names.pop(tokenizer.unk_token_id, None)
        return cls(names, int(tokenizer.num_special_tokens_to_add()))

    def marked(self, text: str) -> str:
        """The text with `MARK` before and behind each special token in it."""
        names = sorted(filter(None, self.names.values()), key=len, reverse=True)
        text = text.replace(MARK, "")
        if not any(name in text for name in names):
            return text
        return re.sub("|".join(map(re.escape, names)), lambda match: f"{MARK}{match[0]}{MARK}", text)

    def problem(self, ids: Iterable[int], *, around: bool = False) -> str:
        """Why a text that became these token ids cannot be read, or empty.

        Some tokenizers have special tokens among their words, and make them of any text that holds them.

        Args:
            ids: token ids of the text.
            around: whether the tokenizer's own special tokens stand around it.
        """
        special = [token for token in ids if token in self.names]
        if len(special) <= (self.added if around else 0):
            return ""
        inside = special[1:] if around and len(special) > 1 else special
        return reason(self.names[inside[0]])


def written_in(tokens: Iterable[str | None]) -> str:
    """The first of a server's tokens that is a special one by its spelling, or empty."""
    return next((token.strip() for token in tokens if token and WRITTEN.fullmatch(token.strip())), "")
