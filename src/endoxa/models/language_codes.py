"""Encoder-decoders that mark every text with the code of its language: mBART, NLLB, Marian and those like them.

Without a code of its own, a text is read as English. Codes are 'hi_IN' (mBART) or 'hin_Deva' (NLLB); items have codes
of BCP 47 ('hi', 'zh-TW').
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from endoxa.errors import UserError

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
            "read as one language. Name a tokenizer of the model's own class with --tokenizer."
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
