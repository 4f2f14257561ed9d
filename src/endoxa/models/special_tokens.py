"""Special tokens: '</s>' in a sentence is four characters, not its end. And codes by which models mark languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from endoxa.errors import UserError

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


CODE = re.compile(r"(?:__)?([a-z]{2,3})(?:_([A-Z]{2}|[A-Z][a-z]{3}))?(?:__)?")
_MARKED = re.compile(r"[a-z]{2}_[A-Z]{2}|[a-z]{3}_[A-Z][a-z]{3}|__[a-z]{2,3}__")
"""A special token that can only be the code of a language."""
_TARGET = re.compile(r">>[a-z]{2,3}(?:_[A-Za-z]+)?<<|<2[a-z]{2,3}(?:_[A-Za-z]+)?>")
"""A token of the vocabulary that names the language to write: Marian's '>>hin<<', MADLAD's '<2hi>'."""


def codes_of(tokenizer: Any, name: str) -> tuple[str, ...]:
    """Codes of languages that a tokenizer puts around texts; none where it marks no language.

    Raises:
        UserError: the tokenizer has such codes and cannot be told which one belongs to a text.
    """
    special = [
        *tokenizer.all_special_tokens,
        *(str(token) for token in tokenizer.added_tokens_decoder.values()),
    ]
    marks = [token for token in special if _MARKED.fullmatch(token)]
    codes = tuple(dict.fromkeys([*marks, *sorted(filter(_TARGET.fullmatch, tokenizer.get_vocab()))]))
    if len(codes) < 2:
        return ()
    if not (hasattr(tokenizer, "src_lang") and hasattr(tokenizer, "set_tgt_lang_special_tokens")):
        raise UserError(
            f"The model '{name}' marks every text with its language ('{codes[0]}', '{codes[1]}', ...), and its "
            f"tokenizer ({type(tokenizer).__name__}) does not take the language of a text: every sentence would be "
            "read as one language. Name a tokenizer of the model's own class with --set tokenizer=NAME."
        )
    return codes


def code_for(language: str, codes: Sequence[str]) -> str | None:
    """The code of a language, or None where there is none or it is not clear which.

    Args:
        language: as items have it ('hi', 'zh-TW', 'pa-Guru').
        codes: the model's codes.
    """
    from babel.core import get_global

    aliases, likely = get_global("language_aliases"), get_global("likely_subtags")
    main, *subtags = language.replace("_", "-").split("-")
    main = aliases.get(main.lower(), main.lower())
    fitting = []
    for code in codes:
        match = CODE.fullmatch(code)
        if match and aliases.get(match[1], match[1]) == main:
            fitting.append((code, match[2]))
    if len(fitting) <= 1:
        return fitting[0][0] if fitting else None
    # Several scripts or countries: those of the item, else the usual ones of the language.
    region = next((tag for tag in subtags if tag.isupper()), "")
    usual = likely.get(f"{main}_{region}") if region else likely.get(main)
    wanted = {*subtags, *(usual or "").split("_")[1:]}
    chosen = [code for code, part in fitting if part in wanted]
    return chosen[0] if len(chosen) == 1 else None
