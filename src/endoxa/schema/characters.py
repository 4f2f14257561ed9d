"""Characters that a format cannot hold, replaced where text enters it; what was measured keeps its own."""

from __future__ import annotations

import re

REPLACEMENT = "\ufffd"

_NONCHARACTERS = "\ufdd0-\ufdef\ufffe\uffff" + "".join(
    f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17)
)
_ESCAPE = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>\\u[dD][89a-fA-F]..|[\ud800-\udfff])|\\.")
"""An escape of JSON: both halves of a character, one alone, or another one."""
_NOT_XML = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff{_NONCHARACTERS}]")


def whole_characters(content: str | bytes) -> str:
    """JSON of another program as text, with U+FFFD for bytes that are no UTF-8 and for half a character."""
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    if "\\" not in text and text.isascii():
        return text
    return _ESCAPE.sub(lambda escape: REPLACEMENT if escape["half"] else escape.group(), text)


def xml_text(text: str) -> str:
    """The text with U+FFFD for what XML 1.0 forbids (section 2.2, "Char") or Unicode calls a noncharacter.

    SVG, HTML, LaTeX and XLSX share these limits; the library that draws charts aborts the process where they are
    not kept.
    """
    return _NOT_XML.sub(REPLACEMENT, text)
