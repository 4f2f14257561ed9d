"""The words that name a translator, and what every translator does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from endoxa.errors import UserError
from endoxa.models.spec import parse_model

FORMS = "hf/MODEL, openai/NAME, http://HOST:PORT/v1#NAME, or a file of translations"


class Translator(Protocol):
    """Something that translates statements; one module of this package each."""

    @property
    def name(self) -> str:
        """The translator as written on the command line; translations are remembered under it."""
        ...

    @property
    def remembered(self) -> bool:
        """Whether its translations are worth writing down (a file of translations already is)."""
        ...

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[str | None]:
        """The translation of each text in order, as they become known; None where there is none.

        Args:
            texts: statements, each of one language.
            source: ISO 639-1 code of that language.
            target: ISO 639-1 code of the language to translate into.
        """
        ...


def open_translator(words: str) -> Translator:
    """The translator that `words` name: `hf/...`, `openai/NAME`, `http://...#NAME`, or the path of a table.

    Raises:
        UserError: the words name none, a library is missing, or the model or file cannot be used.
    """
    if words.startswith("hf/"):
        from endoxa.curate.translation.seq2seq import Seq2SeqTranslator

        return Seq2SeqTranslator.load(parse_model(words))
    if words.startswith(("openai/", "http://", "https://")):
        from endoxa.curate.translation.chat import ChatTranslator

        return ChatTranslator.connect(words)
    if words.startswith(("anthropic/", "sim/")):
        raise UserError(f"Cannot translate with '{words}': give {FORMS}.")
    from endoxa.curate.translation.table import TableTranslator

    return TableTranslator.read(Path(words))
