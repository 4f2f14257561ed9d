"""A pack for a language that endoxa has no words for: what Unicode's CLDR says of it, and blanks for the rest."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from endoxa.errors import UserError
from endoxa.words.components import ENGLISH
from endoxa.words.coverage import joints
from endoxa.words.opening import formats
from endoxa.words.packs import PACK, Pack, file_with, languages_with, rows_of

CLDR = "Unicode CLDR"
TO_FILL = "to_fill"
"""Folder of the texts in English, which nothing reads."""
_QUOTES = {
    "ar": "”“’‘", "de": "„“‚‘", "es": "«»“”", "fa": "«»‹›", "fr": "«»“”", "it": "«»“”", "nl": "‘’“”", "ru": "«»„“",
    "uk": "«»„“",
}  # fmt: skip
"""CLDR's quotation marks of languages that have others than English; babel does not hold them."""
_STOPS = {
    "Deva": "।",
    "Beng": "।",
    "Guru": "।",
    "Orya": "।",
    "Hans": "。",
    "Hant": "。",
    "Jpan": "。",
    "Ethi": "።",
}
_QUESTION = {"Arab": "؟", "Hans": "？", "Hant": "？", "Jpan": "？"}
_EXCLAMATION = {"Hans": "！", "Hant": "！", "Jpan": "！"}


def facts_of(code: str) -> Pack:
    """What CLDR says of a language; for one that it does not know, what is usual, with a note in `source`.

    Args:
        code: ISO 639 code.
    """
    from babel import Locale, UnknownLocaleError
    from babel.core import get_global

    script = next(iter(get_global("likely_subtags").get(code, "").split("_")[1:]), "Latn")
    english = Locale(ENGLISH)
    try:
        known = bool(Locale.parse(code))
    except (UnknownLocaleError, ValueError):
        known = False
    return Pack(
        code=code,
        name=str(english.languages.get(code, code)),
        script=script,
        quotes=tuple(_QUOTES.get(code, "“”‘’")),
        stops=(_STOPS.get(script, "."), _QUESTION.get(script, "?"), _EXCLAMATION.get(script, "!")),
        status="draft",
        source=CLDR if known else f"{CLDR} does not know this language: look through every line",
    )


def pack_text(pack: Pack) -> str:
    """A pack as `pack.toml`; JSON writes strings and lists of strings as TOML does."""
    values = {name: getattr(pack, name) for name in Pack.__slots__}
    return "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items())


def create(code: str, folder: Path) -> list[Path]:
    """Write a pack for a language, with blanks for everything that only its speakers know.

    Args:
        code: ISO 639 code.
        folder: a new or an empty folder.

    Returns:
        The files that were written.

    Raises:
        UserError: the code is none, or the folder holds something.
    """
    if not (2 <= len(code) <= 3 and code.isascii() and code.isalpha() and code.islower()):
        raise UserError(f"'{code}' is no ISO 639 code. Expected two or three small letters, such as 'wo'.")
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty, and nothing is overwritten. Name another folder with --out.")
    pack = facts_of(code)
    written = {
        PACK: pack_text(pack),
        "people.csv": _table("people.csv", _people(code)),
        "cases.csv": _table("cases.csv", ({"kind": kind} for kind in KINDS)),
        "faults.csv": _table(
            "faults.csv",
            (
                {"kind": kind, "joint": joint, "language": code}
                for kind, joint in {row["kind"]: row["joint"] for row in rows_of("", "faults.csv")}.items()
            ),
        ),
        "README.md": _readme(pack),
        f"{TO_FILL}/grammar.csv": _table(
            "grammar.csv", ({"set": name, "note": note} for name, note in _SETS)
        ),
    }
    for name in dict.fromkeys(name.partition("#")[0] for joint in joints() for name in joint.files):
        if name in written or f"{TO_FILL}/{name}" in written:
            continue
        source = ENGLISH if ENGLISH in languages_with(name) else "es"
        text = file_with(source, name).read_text(encoding="utf-8")
        written[f"{TO_FILL}/{name}"] = text if not name.endswith(".csv") else text[: text.index("\n") + 1]
    for name, text in written.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in written]


KINDS = (
    "copula, adjective", "copula, noun", "verb", "to have", "to be able", "habit", "past", "denied", "denied verb",
    "reporting opener", "quantifier", "two attributes", "group of several words", "inhabitants of a country",
    "women of a group", "profession", "religion", "typed without marks", "no group named", "no statement",
)  # fmt: skip
"""Kinds of cases that every language should have, one or more of each."""
_SETS = (
    ("copula", "They are lazy. {identity} stands for the group, {attribute} for what is said of it"),
    ("verb", "They talk. {identity}, {verb}"),
    ("have", "They have money. {identity}, {attribute}"),
    ("can", "They can dance. {identity}, {verb}"),
    ("habitual", "They always talk. {identity}, {verb}"),
)
_GROUPS = {
    "gender": ("women", "men"),
    "age": ("old people", "young people", "children"),
    "religion": ("Muslims", "Christians", "Jews", "Hindus", "Buddhists", "atheists"),
    "profession": (
        "doctors", "nurses", "teachers", "farmers", "police officers", "politicians", "lawyers", "traders", "drivers",
        "fishers", "students", "engineers",
    ),
    "status": ("rich people", "poor people", "migrants", "refugees", "people with disabilities"),
    "neutral": ("people", "they"),
}  # fmt: skip
"""Usual groups; `identity_key` names them so in all languages."""


def _people(code: str) -> Iterator[dict[str, str]]:
    """Rows for the people of each country, with its name, and for the usual groups."""
    from babel import Locale, UnknownLocaleError

    english = {str(territory): str(name) for territory, name in Locale(ENGLISH).territories.items()}
    try:
        names = {str(territory): str(name) for territory, name in Locale.parse(code).territories.items()}
    except (UnknownLocaleError, ValueError):
        names = {}
    countries = (each for each in english if len(each) == 2 and each.isalpha() and each not in _NO_COUNTRIES)
    for territory in sorted(countries):
        place = names.get(territory, "")
        note = CLDR if place else f"name of the country wanted: {english[territory]}"
        yield {"id": territory, "kind": "nationality", "also": place, "source": note}
    for kind, groups in _GROUPS.items():
        yield from ({"id": group, "kind": kind} for group in groups)


_NO_COUNTRIES = ("EU", "EZ", "QO", "UN", "XA", "XB", "ZZ", "AC", "CP", "CQ", "DG", "EA", "IC", "TA")


def _table(name: str, rows: Iterator[dict[str, str]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, formats()[name]["columns"], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _readme(pack: Pack) -> str:
    text = files(__package__).joinpath("pack_readme.md").read_text(encoding="utf-8")
    needed = {joint.name: ", ".join(f"`{name}`" for name in joint.files) for joint in joints()}
    rows = "\n".join(
        f"| {joint.name} | {joint.purpose} | {needed[joint.name].replace('#', '` of kind `') or 'not in packs'} |"
        for joint in joints()
    )
    return text.replace("{name}", pack.name).replace("{code}", pack.code).replace("{joints}", rows)
