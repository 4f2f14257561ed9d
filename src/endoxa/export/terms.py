"""Under which terms a data set is passed on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from endoxa.datasets.files import require_file
from endoxa.errors import UserError
from endoxa.export.licences import Licence, licence


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which terms the data are passed on.

    Attributes:
        licence: the licence, where its id was given.
        text: a file with the licence's text, or None.
        citation: a CITATION.cff, or None to make one from the facts.
    """

    licence: Licence | None = None
    text: Path | None = None
    citation: Path | None = None

    @classmethod
    def of(cls, spdx: str | None, text: Path | None, citation: Path | None) -> Terms:
        """Terms as the command line gives them.

        Raises:
            UserError: an unknown licence, a file that cannot be read, or a citation that is no CFF.
        """
        for path in (text, citation):
            if path is not None:
                require_file(path)
        if citation is not None and b"cff-version:" not in citation.read_bytes():
            raise UserError(
                f"{citation} is no citation file: it must be in the Citation File Format, with a cff-version."
            )
        return cls(None if spdx is None else licence(spdx), text, citation)
