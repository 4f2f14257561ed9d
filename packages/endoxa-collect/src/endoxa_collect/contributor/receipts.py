"""A receipt as a picture to keep."""

from __future__ import annotations

from textwrap import wrap

from django.template.loader import render_to_string
from django.utils.translation import get_language, gettext, override

from endoxa.schema.characters import xml_text
from endoxa_collect.campaign import Texts, in_language

_MISDRAWN = frozenset({"hi"})
"""Languages whose picture is in English: the library puts vowel signs of Devanagari over the letter after them."""
_LINE = 60
"""Letters that fit into one line of the picture."""
_SCALE = 1.5
"""Dots per unit of the picture, which is 720 wide: as sharp as a screenshot."""


def receipt_picture(code: str, titles: Texts, address: str) -> bytes:
    """A receipt as PNG, in the active language: galleries of phones do not show SVG.

    Args:
        code: the receipt code.
        titles: those of the campaign, by language.
        address: of the page on which the code is typed to leave.
    """
    import vl_convert

    language = get_language() or "en"
    with override("en" if language in _MISDRAWN else language):
        why = gettext("With this code you can delete your answers later, from any phone.")
        title = in_language(titles, get_language() or "en")
        context = {"code": code, "title": title, "why": wrap(why, _LINE), "address": address}
        drawn = render_to_string("contributor/receipt.svg", context)
    picture: bytes = vl_convert.svg_to_png(xml_text(drawn), scale=_SCALE)
    return picture
