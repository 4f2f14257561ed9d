"""What is wrong or missing in the words of a language, and its texts as items that speakers judge.

What is wrong is seen without any sentence being made: scripts, slots, duplicates. An item is a text as it is read:
filled with the examples of its language, or in its row.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import regex

from endoxa.errors import UserError
from endoxa.words.components import (
    COMPONENTS,
    ENGLISH,
    PACKAGE,
    Text,
    component,
    file_of,
    languages_of,
    texts_of,
)
from endoxa.words.create import TO_FILL
from endoxa.words.opening import formats, opened, slots_in, tree_of
from endoxa.words.packs import BESIDE, PACK, languages_with, rows_of, user_packs, words_of
from endoxa.words.people import NEUTRAL, english_name

_HAN = {"Hans": "Hani", "Hant": "Hani"}
_SLOT = regex.compile(r"\{(\w*)\}")
_WORD = regex.compile(r"[\p{L}\p{M}]+")
_SETTINGS = regex.compile(r"^(?:extract\.toml, order|terms\.toml|lists\.toml.*/without/|unkind\.toml)")
"""Texts that are names of settings or English, and words that are typed in Latin letters, too."""
_NO_WORDS = (
    "answer patterns", "author prompts", "page texts", "hearsay questions", "preset texts", "preset pairs",
    "names bank",
)  # fmt: skip
"""Components whose texts hold names of fields, or that are in no pack."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in a pack.

    Attributes:
        place: file, and row or key.
        problem: what is wrong, as the end of a sentence about the place.
    """

    place: str
    problem: str


def folder_of(pack: str) -> tuple[str, Path | None]:
    """The code of a pack, and its folder where it is one of the user.

    Args:
        pack: a folder with a `pack.toml`, or the code of a language.

    Raises:
        UserError: it is neither, or the pack cannot be used.
    """
    folder = Path(pack)
    if (folder / PACK).is_file() or folder.is_dir():
        return opened(folder).code, folder
    if pack not in languages_with(PACK):
        raise UserError(
            f"'{pack}' is neither a folder nor a language. Expected the folder of a pack, or one of: "
            f"{', '.join(languages_with(PACK))}."
        )
    if pack not in user_packs():
        opened(PACKAGE / "words" / pack)
    return pack, None


def faults(language: str, folder: Path | None) -> Iterator[Fault]:
    """What is wrong in the words of a language.

    Args:
        language: ISO 639 code of a pack.
        folder: of the user's pack, if it is one.
    """
    if folder is not None:
        yield from _strangers(folder)
    texts = [
        text
        for name, component in COMPONENTS.items()
        if name not in _NO_WORDS
        for text in texts_of(component, language)
    ]
    script = str(words_of(language, PACK)["script"])
    yield from _scripts(
        script, ((place, text.text) for text in texts if not _SETTINGS.search(place := _place(text)))
    )
    yield from (fault for text in texts if (fault := _slots(text)))
    yield from _people(language)
    yield from _opposites(language)


def _place(text: Text) -> str:
    first, *rest = text.path
    keys = [f"row {first}", *rest] if text.file.endswith(".csv") else ["/".join(text.path)]
    return ", ".join([text.file.rsplit("/", 1)[-1], *keys])


def _strangers(folder: Path) -> Iterator[Fault]:
    """Files that nothing reads, such as a name with a typing error."""
    for path in sorted(folder.iterdir()):
        if path.name not in (*formats(), *BESIDE, TO_FILL) and not path.name.startswith("."):
            yield Fault(path.name, "is no file of a pack, so nothing reads it")


def _scripts(name: str, texts: Iterable[tuple[str, str]]) -> Iterator[Fault]:
    """Texts without a letter of the script, and words with letters of several."""
    script = rf"\p{{Script={_HAN.get(name, name)}}}"
    letter = regex.compile(rf"(?V1)[{script}&&\p{{L}}]")
    other = regex.compile(rf"(?V1)[\p{{L}}--[{script}\p{{Script=Common}}\p{{Script=Inherited}}]]")
    for place, text in texts:
        plain = _SLOT.sub(" ", text)
        mixed = [word for word in _WORD.findall(plain) if letter.search(word) and other.search(word)]
        if mixed:
            yield Fault(place, f"mixes letters of {name} and another script in '{mixed[0]}'")
        elif other.search(plain) and not letter.search(plain):
            yield Fault(place, f"is not written in the script {name}: '{text}'")


def _slots(text: Text) -> Fault | None:
    """A text whose braces are not those of the English text."""
    if not text.english or not COMPONENTS[text.component].aligned:
        return None
    wanted, there = (set(slots_in(each)) for each in (text.english, text.text))
    if wanted - {"a"} == there - {"a"}:  # not every language has an article
        return None
    braces = ", ".join(f"{{{name}}}" for name in sorted(wanted)) or "no braces"
    return Fault(_place(text), f"must hold {braces}, as the English text does")


def _people(language: str) -> Iterator[Fault]:
    """Words of two groups, and plurals with an article."""
    articles = {
        *words_of(language, "pairs.toml").get("articles", ()),
        *words_of(language, "extract.toml").get("articles", ()),
    }
    seen: dict[str, str] = {}
    for number, row in enumerate(rows_of(language, "people.csv"), start=2):
        if row["kind"] == NEUTRAL:
            continue
        place, group = f"people.csv, row {number}", row["id"]
        for column in ("plural", "plural_f"):
            if row[column] and row[column].split()[0].lower() in articles:
                yield Fault(place, f"has an article in '{row[column]}'; forms stand without")
        if row["singular"] + row["singular_f"] and not row["plural"] + row["plural_f"]:
            yield Fault(place, f"has a singular of '{group}' and no plural")
        forms = [row[column] for column in ("singular", "singular_f", "plural", "plural_f")]
        for form in sorted({each.strip().casefold() for each in (*forms, *row["also"].split(";"))} - {""}):
            if seen.setdefault(form, group) != group:
                yield Fault(place, f"has '{form}' for '{group}', which is also '{seen[form]}'")


def _opposites(language: str) -> Iterator[Fault]:
    """Words that are their own opposite, and words that are alike in one row and opposites in another."""
    poles = [
        [[*filter(None, map(str.strip, (row[side] or "").split(";")))] for side in ("one", "other")]
        for row in rows_of(language, "opposites.csv")
    ]
    alike = {
        frozenset(pair): number
        for number, row in enumerate(poles, start=2)
        for side in row
        for pair in combinations(side, 2)
    }
    for number, (entry, other) in enumerate(poles, start=2):
        place = f"opposites.csv, row {number}"
        if not entry or not other:
            yield Fault(place, "has no word in 'one' or 'other'")
        for first, second in product(entry, other):
            if first == second:
                yield Fault(place, f"has '{first}' on both sides")
            elif row := alike.get(frozenset((first, second))):
                yield Fault(place, f"has '{first}' and '{second}' as opposites, which are alike in row {row}")


def read_cases(language: str) -> list[dict[str, str]]:
    """The rows of `cases.csv` of a language, with their number in the file; those without a statement are blanks."""
    return [
        {"row": str(number), **{name: (value or "").strip() for name, value in row.items() if name}}
        for number, row in enumerate(rows_of(language, "cases.csv"), start=2)
    ]


# --- texts as items of the language check ---

_LONGEST = 150


def item_id(text: Text) -> str:
    """Name of the item of a text: component, language, and what it is called there. Long names are cut and numbered."""
    key = " ".join(text.key.split())
    name = f"{text.component}/{text.language}/{key}"
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST - 9]}~{hashlib.sha256(text.key.encode()).hexdigest()[:8]}"


def items(language: str, components: Sequence[str] = ()) -> list[dict[str, str]]:
    """The texts of a language as rows for the language check.

    Args:
        language: ISO 639 code.
        components: names; none takes all that have the language.

    Raises:
        UserError: an unknown component, a language without texts, or English, from which the others were made.
    """
    if language == ENGLISH:
        raise UserError("English is the source of the other languages. Name the code of another one.")
    chosen = [component(name) for name in components] or list(COMPONENTS.values())
    rows = [
        {
            "item_id": item_id(text),
            "component": text.component,
            "language": text.language,
            "text": text.text,
            "in_use": in_use(text),
            "english": text.english,
            "purpose": entry.purpose,
        }
        for entry in chosen
        for text in texts_of(entry, language)
    ]
    if not rows:
        languages = sorted({code for entry in chosen for code in languages_of(entry)} - {ENGLISH})
        raise UserError(f"No texts in '{language}'. Expected one of: {', '.join(languages)}.")
    return rows


def in_use(text: Text) -> str:
    """A text as it is read: in its row, or in the entry of a list that holds it; filled with the examples."""
    entry: Any = _tree(text.file)
    for part in text.path[:-1]:
        entry = entry[int(part) - 1] if isinstance(entry, list) else entry[part]
    shown = text.text
    if isinstance(entry, dict) and text.path[-2:-1] and text.path[-2].isdigit():
        names = {"id": english_name(entry["id"])} if "id" in entry else {}
        shown = "; ".join(f"{name}: {value}" for name, value in (entry | names).items() if name and value)
    elif text.file.endswith(".po"):
        shown = regex.sub(r"%\((\w+)\)[a-z]", r"[\1]", regex.sub(r"<[^<>]+>", "", shown))
    examples = {each.key: each.text for each in texts_of(COMPONENTS["examples"], text.language)}
    return str(_SLOT.sub(lambda match: examples.get(match[1], match[0]), shown))


@cache
def _tree(file: str) -> dict[str, Any]:
    return tree_of(file_of(file))
