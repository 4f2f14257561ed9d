"""Translations that people made, from a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from endoxa.datasets.frames import read_table
from endoxa.errors import UserError

ORIGINAL, TRANSLATION, LANGUAGE = "original", "translation", "language"


@dataclass(frozen=True, slots=True)
class TableTranslator:
    """Looks statements up; case and white space do not matter.

    Attributes:
        name: the path of the table.
        known: translation by (language or empty, plain original).
    """

    name: str
    known: Mapping[tuple[str, str], str]
    remembered: bool = False

    @classmethod
    def read(cls, path: Path) -> TableTranslator:
        """Read a table with the columns original, translation and, if one text can be of two languages, language.

        Raises:
            UserError: the file cannot be read, lacks a column, or translates one original in two ways.
        """
        table = read_table(path, (ORIGINAL, TRANSLATION))
        known: dict[tuple[str, str], str] = {}
        for number, row in enumerate(table.iter_rows(named=True), start=1):
            original, translation = row[ORIGINAL] or "", " ".join((row[TRANSLATION] or "").split())
            if not original.strip() or not translation:
                continue
            key = ((row.get(LANGUAGE) or "").strip().lower(), _plain(original))
            if known.setdefault(key, translation) != translation:
                raise UserError(
                    f"{path}, row {number}: '{original[:60]}' has another translation further up: keep one."
                )
        return cls(str(path), known)

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[str | None]:
        """See `Translator.translate`; the table's target language is taken to be `target`."""
        del target
        for text in texts:
            plain = _plain(text)
            yield self.known.get((source, plain), self.known.get(("", plain)))


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split()).strip(" .")
