"""Identifiers in a text: e-mail and web addresses, accounts, IP addresses, coordinates, phone and personal numbers.

Each kind is recognised by its form. Signs of full width ("ann＠gmail.com"), blanks ("ann @ gmail . com") and words in
place of signs ("ann (at) gmail dot com") count too. Dates, times, years, decimals and grouped
thousands are no phone numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

EMAIL, WEB_ADDRESS, ACCOUNT = "e-mail", "web address", "account"
IP_ADDRESS, PLACE, PHONE = "IP address", "place", "phone number"
LONG_NUMBER = "phone or personal number"
"""Kind of a bare number of seven digits or more: also the form of some survey tools' codes."""

IDENTIFIER = "identifier"
"""Flag of a row whose text holds an identifier; such a row is never sent to a model or service."""

_BLANK = r"[ \t\xa0\u2000-\u200a\u202f\u3000]"
_LOCAL = r"(?<![\w.+-])[\w.+-]++"
_LABEL = r"[\w-]{1,63}"
_AT_WORD = r"(?:at|arroba|arobase)"
_DOT_WORD = r"(?:dot|punto|point|ponto)"
_AT = rf"{_BLANK}{{0,2}}(?:[@＠﹫]|[(\[{{<]{_BLANK}?(?:@|{_AT_WORD}){_BLANK}?[)\]}}>]){_BLANK}{{0,2}}"
_DOT = rf"(?:[.．]|{_BLANK}{{0,2}}[(\[{{<]{_BLANK}?(?:\.|{_DOT_WORD}){_BLANK}?[)\]}}>]{_BLANK}{{0,2}})"
_LOOSE_DOT = rf"(?:{_BLANK}{{0,2}}[.．]{_BLANK}{{0,2}}|{_BLANK}{_DOT_WORD}{_BLANK})"
_LARGE_DOMAIN = r"(?:com|org|net|edu|gov|ac|co)\b"
_PROVIDER = r"(?:g(?:oogle)?mail|yahoo|ymail|hotmail|outlook|live|icloud|proton(?:mail)?|aol|gmx)\b"
_COUNTRY_DOMAIN = r"(?:ar|br|ch|cl|cn|eu|fr|gh|jp|ke|mx|ng|nl|ru|rw|tz|ug|uk|za)"
"""Country domains that are no word of a language we read: "lazy.de" may be two sentences without a blank."""
_ADDRESS_TAIL = r"[^\s<>\"“”«»]*[^\s<>\"“”«».,;:!?)\]]"

_PATTERNS: dict[str, str] = {
    EMAIL: rf"{_LOCAL}{_AT}{_LABEL}(?:{_DOT}{_LABEL}){{0,4}}{_DOT}[^\W\d_]{{2,24}}\b"
    rf"|{_LOCAL}(?:{_AT}|{_BLANK}{_AT_WORD}{_BLANK}){_LABEL}{_LOOSE_DOT}{_LARGE_DOMAIN}"
    rf"(?:{_LOOSE_DOT}[a-z]{{2}}\b)?"
    rf"|{_LOCAL}(?:{_AT}|{_BLANK}{_AT_WORD}{_BLANK}){_PROVIDER}{_LOOSE_DOT}[a-z]{{2,3}}\b"
    rf"|{_LOCAL}{_AT}{_PROVIDER}",
    WEB_ADDRESS: rf"(?:https?://|www\d?[.．]){_ADDRESS_TAIL}"
    r"|(?<![\w@.-])[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}"
    rf"\.(?:com|org|net|info|io|me|app|edu|gov|{_COUNTRY_DOMAIN}|[a-z]{{2}}(?=/\w))\b(?:/(?:{_ADDRESS_TAIL})?)?",
    ACCOUNT: r"(?<![\w.@＠])[@＠][\w.]{2,30}\w"
    rf"|\b(?:ig|insta(?:gram)?|twitter|tiktok|snap(?:chat)?|telegram|facebook|fb){_BLANK}?:{_BLANK}?"
    r"(?=\w*[_.\d])[\w.]{2,30}\w",
    IP_ADDRESS: r"\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}\b"
    r"|\b(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}\b",
    PLACE: rf"-?\d{{1,2}}\.\d{{4,20}}{_BLANK}{{0,3}}[,; ]{_BLANK}{{0,3}}-?\d{{1,3}}\.\d{{4,20}}",
    PHONE: rf"(?<!\d)(?:\+{_BLANK}?|\({_BLANK}?\+?)?\d(?:(?:{_BLANK}|[().\-/–‑]){{0,2}}\d){{6,17}}(?!\d)",
}
_COMPILED = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _PATTERNS.items()}

_DASH = rf"{_BLANK}?[-–/]{_BLANK}?"
_YEAR = r"(?:1\d|20)\d\d"
_DATE = r"(?:\d{1,2}[./-]\d{1,2}[./-](?:\d\d){1,2}|[12]\d{3}[./-]\d{1,2}[./-]\d{1,2})"
_TIME = r"\d{1,2}\.\d{2}"
_GROUP = rf"(?:{_BLANK}|\.)"
_THOUSANDS = rf"(?:[1-9](?:{_GROUP}\d{{3}})+|[1-9]\d{{1,2}}(?:{_GROUP}\d{{3}})*{_GROUP}000)"
_NO_PHONE = re.compile(
    rf"{_YEAR}(?:(?:{_DASH}|{_BLANK}){_YEAR})+"
    rf"|{_DATE}(?:(?:{_DASH}|{_BLANK})(?:{_DATE}|{_TIME}))?"
    rf"|{_TIME}{_DASH}{_TIME}"
    rf"|[1-9]\d*00{_DASH}[1-9]\d*00"
    rf"|{_THOUSANDS}(?:{_DASH}{_THOUSANDS})?"
    r"|(?:0|[1-9]\d{0,2})\.\d+|[1-9]\d*\.\d{1,2}|[1-9]\d*000"
)
"""Years, dates, times, ranges of round numbers, numbers in groups of thousands, decimals, round numbers."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """What may say who or where somebody is: `text[start:end]`, and of which kind it is."""

    kind: str
    start: int
    end: int


def find_identifiers(text: str) -> list[Identifier]:
    """The identifiers in `text`, in order; none overlaps another."""
    identifiers: list[Identifier] = []
    covered = bytearray(len(text))
    for kind, pattern in _COMPILED.items():
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(covered[start:end]) or (kind == PHONE and _NO_PHONE.fullmatch(match[0])):
                continue
            covered[start:end] = b"\1" * (end - start)
            bare = kind == PHONE and match[0].isdigit() and int(match[0][0]) > 0
            identifiers.append(Identifier(LONG_NUMBER if bare else kind, start, end))
    return sorted(identifiers, key=lambda identifier: identifier.start)


def identifier_in(text: str) -> str:
    """The kind of the first identifier in `text`, or an empty text."""
    return next((identifier.kind for identifier in find_identifiers(text)), "")
