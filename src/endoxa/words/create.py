"""A pack for a language that endoxa has no words for: what Unicode's CLDR says of it, and blanks for the rest."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from babel import Locale
from babel.core import get_global

from endoxa.errors import UserError
from endoxa.words.components import ENGLISH
from endoxa.words.countries import territories
from endoxa.words.opening import formats
from endoxa.words.packs import PACK, Pack, file_with, languages_with, rows_of
from endoxa.words.state import joints

CLDR = "Unicode CLDR"
TO_FILL = "to_fill"
"""Folder of the texts in English, which nothing reads."""
_STOPS = {
    **dict.fromkeys(("Deva", "Beng", "Guru", "Orya"), ("।", "?", "!")),
    **dict.fromkeys(("Hans", "Hant", "Jpan"), ("。", "？", "！")),
    "Ethi": ("።", "?", "!"),
    "Arab": (".", "؟", "!"),
}
"""Marks that end a sentence, by script."""


def facts_of(code: str) -> Pack:
    """What CLDR says of a language; for one that it does not know, what is usual, with a note in `source`.

    Args:
        code: ISO 639 code.
    """
    script = next(iter(get_global("likely_subtags").get(code, "").split("_")[1:]), "Latn")
    return Pack(
        code=code,
        name=str(Locale(ENGLISH).languages.get(code, code)),
        script=script,
        quotes=tuple("“”‘’"),
        stops=_STOPS.get(script, (".", "?", "!")),
        status="draft",
        source=CLDR if territories(code) else f"{CLDR} does not know this language: look through every line",
    )


def pack_text(pack: Pack) -> str:
    """A pack as `pack.toml`; JSON writes strings and lists of strings as TOML does."""
    return "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in pack)


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


def _people(code: str) -> Iterator[dict[str, str]]:
    """The groups that two languages have or more, without their words; the people of a country with its name."""
    by_language = [
        {(row["id"], row["kind"]) for row in rows_of(language, "people.csv")}
        for language in languages_with("people.csv")
    ]
    for group, kind in sorted(key for key, n in Counter(chain(*by_language)).items() if n > 1):
        place = territories(code).get(group, "")
        yield {"id": group, "kind": kind, "also": place, "source": CLDR if place else ""}


def _table(name: str, rows: Iterator[dict[str, str]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, formats()[name]["columns"], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _readme(pack: Pack) -> str:
    text = file_with("", "pack_readme.md").read_text(encoding="utf-8")
    needed = {joint.name: ", ".join(f"`{name}`" for name in joint.files) for joint in joints()}
    rows = "\n".join(
        f"| {joint.name} | {joint.purpose} | {needed[joint.name].replace('#', '` of kind `') or 'not in packs'} |"
        for joint in joints()
    )
    return text.replace("{name}", pack.name).replace("{code}", pack.code).replace("{joints}", rows)
