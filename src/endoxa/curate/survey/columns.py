"""Finding the columns a map names among the headers of an export."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path

from endoxa.curate.survey.mapping import ColumnChoice
from endoxa.errors import UserError

_QUOTES = str.maketrans(dict.fromkeys("‘’‛`´ʼ", "'") | dict.fromkeys("“”„«»", '"'))
_CODE = re.compile(r"^(?:s\d+_)?[qs]?\d+[a-z]?\s*[.:)_-]+\s*|^s\d+_q\d+[a-z]?\s*[.:)_-]*\s*")
_CODES = re.compile(
    r"\b(?:participant|respondent|response|subject|informant|interview|record)e?\b.{0,20}\b(?:code|id|number|no)\b"
    r"|\b(?:code|id|c[oó]digo|identifiant) (?:of |de |del |du |do |da )?(?:the |la )?(?:participant|respond|r[eé]pond)"
    r"|^(?:respondent|participant|code|id|c[oó]digo)$"
)
_NEAR = 3
_SHOWN = 70


def plain_header(header: str) -> str:
    """A header as it is compared: straight quotes, single spaces, lower case."""
    return " ".join(unicodedata.normalize("NFKC", header).translate(_QUOTES).casefold().split())


def without_code(header: str) -> str:
    """A plain header without the code that survey tools put in front ('s01_q05.what ...')."""
    return _CODE.sub("", header).strip()


def is_code_header(header: str) -> bool:
    """Whether a header says that the column holds a code per respondent ("Participant code")."""
    return bool(_CODES.search(without_code(plain_header(header)).replace("_", " ")))


def find_column(path: Path, headers: Sequence[str], choice: ColumnChoice) -> str | None:
    """The header that `choice` means; None where there is none and that is fine.

    An equal header wins over one that only begins so.

    Raises:
        UserError: no header fits, or several begin so.
    """
    wanted = plain_header(choice.column)
    plain = {header: plain_header(header) for header in headers}
    for fits in (_equal, _begins):
        found = [header for header in headers if fits(plain[header], wanted)]
        if len(found) > 1:
            raise UserError(
                f"{path}: '{shown(choice.column)}' could be any of {len(found)} columns "
                f"({', '.join(repr(shown(header)) for header in found[:_NEAR])}): write more of the header."
            )
        if found:
            return found[0]
    if choice.optional:
        return None
    near = sorted(headers, key=lambda header: -_likeness(plain[header], wanted))[:_NEAR]
    raise UserError(
        f"{path} has no column '{shown(choice.column)}'. "
        f"The nearest are: {', '.join(repr(shown(header)) for header in near)}."
    )


def shown(header: str) -> str:
    """A header short enough for a sentence."""
    line = " ".join(header.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _equal(header: str, wanted: str) -> bool:
    return wanted in (header, without_code(header))


def _begins(header: str, wanted: str) -> bool:
    return header.startswith(wanted) or without_code(header).startswith(wanted)


def _likeness(header: str, wanted: str) -> float:
    cut = without_code(header)[: len(wanted) + 10]
    return SequenceMatcher(None, cut, wanted, autojunk=False).ratio()
