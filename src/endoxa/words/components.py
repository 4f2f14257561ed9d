"""The components of `components.toml`, and their texts, read from the files as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from endoxa.errors import UserError
from endoxa.words.opening import leaves, tree_of
from endoxa.words.packs import FOLDER, languages_with, user_file, user_packs, words_of

PACKAGE = FOLDER.parent
SITE = "collect/"
"""How names of files of the campaign site begin, which is a package of its own."""
PACK = "pack/"
"""How names of files in packs of the user begin; the code of the language follows."""
ENGLISH = "en"
_CODE = re.compile(r"[a-z]{2,3}")
_LANGUAGE = "{language}"

Parts = tuple[str, ...]


class Source(BaseModel, frozen=True):
    """A file, or a file for each language; the fields are explained in `components.toml`."""

    file: str
    keep: Parts = ()
    leave: Parts = ()
    label: str = ""
    named: Parts = ()
    first_of: Parts = ()


class Component(BaseModel, frozen=True):
    """Texts with one purpose.

    Attributes:
        name: its name, on the command line and in files of items.
        purpose: what the texts are for.
        files: where they are.
        aligned: a key means the same thing in English, so that the English text of the key is its meaning.
    """

    name: str
    purpose: str
    files: tuple[Source, ...]
    aligned: bool = False


COMPONENTS: Mapping[str, Component] = {
    name: Component(name=name, **table) for name, table in words_of("", "components.toml").items()
}
"""Every component by its name."""


def component(name: str) -> Component:
    """The component of a name.

    Raises:
        UserError: there is none.
    """
    if name not in COMPONENTS:
        raise UserError(f"Unknown component '{name}'. Expected one of: {', '.join(COMPONENTS)}.")
    return COMPONENTS[name]


@dataclass(frozen=True, slots=True)
class Text:
    """A text that people or models read.

    Attributes:
        component: name of its component.
        language: ISO 639 code; 'mis' (uncoded) for given names of which the bank names no language with a code.
        key: what it is called within the component and language; the file is its beginning where there are several.
        text: the text.
        file: path of its file below the package.
        path: the keys that lead to it in the file.
        english: the same in English where that is known, else empty.
    """

    component: str
    language: str
    key: str
    text: str
    file: str
    path: Parts
    english: str = ""


def languages_of(component: Component) -> tuple[str, ...]:
    """The languages in which a component has texts, sorted."""
    return tuple(sorted({text.language for text in _all_texts(component)}))


def texts_of(component: Component, language: str) -> tuple[Text, ...]:
    """The texts of a component in a language, in the order of the files; none where it has no such language."""
    return tuple(text for text in _all_texts(component) if text.language == language)


def file_of(name: str) -> Path:
    """The path of a file of words; of the campaign site's, one that does not exist where that is not installed.

    Args:
        name: path below the package; `collect/...` lies in the package of the campaign site, `pack/CODE/...` in the
            user's packs.
    """
    if name.startswith(PACK):
        _, code, file = name.split("/")
        return user_file(code, file) or user_packs()[code][0] / file
    site = find_spec("endoxa_collect") if name.startswith(SITE) else None
    return Path(site.origin).parent / name.removeprefix(SITE) if site and site.origin else PACKAGE / name


def _files(source: Source) -> Iterator[tuple[str, str]]:
    """Files of a source with the language of their folder, or empty."""
    if "/" not in source.file:
        for code in languages_with(source.file):
            yield f"{PACK if user_file(code, source.file) else 'words/'}{code}/{source.file}", code
        return
    start = SITE if source.file.startswith(SITE) else ""
    root, path = file_of(start), source.file.removeprefix(start)
    before = path.partition(_LANGUAGE)[0].count("/") if _LANGUAGE in path else None
    for match in sorted(root.glob(path.replace(_LANGUAGE, "*"))):
        name = match.relative_to(root)
        code = "" if before is None else name.parts[before]
        if not code or _CODE.fullmatch(code):
            yield start + name.as_posix(), code


@cache
def _all_texts(component: Component) -> tuple[Text, ...]:
    texts = []
    for source in component.files:
        for name, code in _files(source):
            tree = tree_of(file_of(name))
            label = source.label or name.rsplit("/", 1)[-1]
            prefix = f"{label}: " if len(component.files) > 1 or "*" in source.file else ""
            for language, key, path, text in _chosen(source, code, tree):
                english = key[0] if name.endswith(".po") else ""
                joined = prefix + "/".join(key)
                texts.append(Text(component.name, language, joined, text, name, path, english))
    meanings = {text.key: text.text for text in texts if component.aligned and text.language == ENGLISH}
    return tuple(
        replace(text, english=meanings[text.key])
        if text.key in meanings and text.language != ENGLISH
        else text
        for text in texts
    )


def _chosen(source: Source, code: str, tree: Mapping[str, Any]) -> Iterator[tuple[str, Parts, Parts, str]]:
    """Language, key, path and text of what a source shows of its file."""
    names: dict[Parts, list[str]] = {}
    for path, value in leaves(tree):
        if not isinstance(value, str) or not value.strip():
            continue
        language, key = code, path
        if not code and source.file.endswith(".csv"):
            language = tree[path[0]]["language"] or ""
        elif not code:
            language, key = path[-1] if _CODE.fullmatch(path[-1]) else "", path[:-1]
        if source.named:
            row = tree[path[0]]
            if source.first_of and path[1] != next(column for column in source.first_of if row[column]):
                continue
            name = tuple(row[column] for column in source.named)
            rows = names.setdefault(name, [])
            if path[0] not in rows:
                rows.append(path[0])
            again = (str(len(rows)),) if len(rows) > 1 else ()
            key = (*name, *again, *(() if source.first_of else path[1:]))
        joined = "/".join(key)
        kept = not source.keep or any(fnmatchcase(joined, pattern) for pattern in source.keep)
        if language and kept and not any(fnmatchcase(joined, pattern) for pattern in source.leave):
            yield language, key, path, value
