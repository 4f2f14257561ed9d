"""The texts of a component in a language, read from the files as they are."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from endoxa.words.components import Component, Source

PACKAGE = Path(str(files("endoxa")))
SITE = "collect/"
"""How names of files of the campaign site begin, which is a package of its own."""
SITE_PACKAGE = "packages/endoxa-collect/src/endoxa_collect/"
ENGLISH = "en"
OTHER = "mis"
"""Code of given names of which the bank names no language, or one that has no code (ISO 639: uncoded)."""
_CODE = re.compile(r"[a-z]{2,3}")
_COLUMN = re.compile(r"(?P<language>[a-z]{2})(?:_(?P<form>[a-z_]+))?")

Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A text that people or models read.

    Attributes:
        component: name of its component.
        language: ISO 639 code.
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


def parsed(name: str, content: str) -> dict[str, Any]:
    """A file as a tree: TOML and YAML as they are, tables by row (from 1) and column, catalogues by their English text.

    Args:
        name: path of the file; its ending says the format.
        content: the file.
    """
    if name.endswith(".toml"):
        return tomllib.loads(content)
    if name.endswith(".csv"):
        rows = csv.DictReader(io.StringIO(content))
        return {str(number): dict(row) for number, row in enumerate(rows, start=1)}
    if name.endswith(".po"):
        return _catalogue(content)
    import yaml

    tree: dict[str, Any] = yaml.safe_load(content)
    return tree


def leaves(tree: Any, path: Parts = ()) -> Iterator[tuple[Parts, Any]]:
    """Everything in a tree that is neither a table nor a list, with the keys that lead to it."""
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from leaves(value, (*path, str(key)))
    elif isinstance(tree, list):
        for number, value in enumerate(tree, start=1):
            yield from leaves(value, (*path, str(number)))
    else:
        yield path, tree


def languages_of(component: Component, package: Path = PACKAGE) -> tuple[str, ...]:
    """The languages in which a component has texts, sorted."""
    return tuple(sorted({text.language for text in _all_texts(component, package)}))


def texts_of(component: Component, language: str, package: Path = PACKAGE) -> tuple[Text, ...]:
    """The texts of a component in a language, in the order of the files; none where it has no such language.

    Args:
        component: the component.
        language: ISO 639 code.
        package: folder of the package; another one in a copy of the source.
    """
    return tuple(text for text in _all_texts(component, package) if text.language == language)


def file_of(name: str, package: Path = PACKAGE) -> Path:
    """The path of a file of words; of the campaign site's, one that does not exist where that is not installed.

    Args:
        name: path below the package; `collect/...` lies in the package of the campaign site.
        package: folder of the package; another one in a copy of the source.
    """
    if not name.startswith(SITE):
        return package / name
    if package == PACKAGE and (site := find_spec("endoxa_collect")) and site.origin:
        return Path(site.origin).parent / name.removeprefix(SITE)
    return package.parents[1] / SITE_PACKAGE / name.removeprefix(SITE)


def files_of(component: Component, package: Path = PACKAGE) -> tuple[str, ...]:
    """The files of a component that there are."""
    return tuple(dict.fromkeys(name for source in component.sources for name, _ in _files(source, package)))


@cache
def _all_texts(component: Component, package: Path) -> tuple[Text, ...]:
    several = len(component.sources) > 1
    texts = []
    for source in component.sources:
        source_texts = list(_texts(component.name, source, package, several=several))
        english = (
            {text.key: text.text for text in source_texts if text.language == ENGLISH}
            if component.aligned
            else {}
        )
        texts += [_with_english(text, english) for text in source_texts]
    return tuple(texts)


def _with_english(text: Text, english: Mapping[str, str]) -> Text:
    meaning = text.english or (english.get(text.key, "") if text.language != ENGLISH else "")
    return Text(text.component, text.language, text.key, text.text, text.file, text.path, meaning)


def _texts(component: str, source: Source, package: Path, *, several: bool) -> Iterator[Text]:
    for name, code in _files(source, package):
        content = file_of(name, package).read_text(encoding="utf-8")
        tree = parsed(name, content)
        label = source.label or source.file.rsplit("/", 1)[-1]
        prefix = f"{label}: " if several else ""
        for language, key, path, text in _chosen(source, code, tree):
            meaning = key[0] if name.endswith(".po") else ""
            yield Text(component, language, prefix + "/".join(key), text, name, path, meaning)


def _files(source: Source, package: Path) -> Iterator[tuple[str, str]]:
    """Files of a source with the language in their names, or empty."""
    if "{language}" not in source.file:
        if file_of(source.file, package).is_file():
            yield source.file, ""
        return
    before, after = source.file.split("{language}")
    folder, _, prefix = before.rpartition("/")
    parent = file_of(folder, package)
    for path in sorted(parent.glob(f"{prefix}*{after}")):
        code = path.relative_to(parent).as_posix().removeprefix(prefix).removesuffix(after)
        if _CODE.fullmatch(code):
            yield f"{before}{code}{after}", code


def _chosen(source: Source, code: str, tree: Mapping[str, Any]) -> Iterator[tuple[str, Parts, Parts, str]]:
    """Language, key, path and text of what a source shows of its file."""
    for path, value in leaves(tree):
        if not isinstance(value, str) or not value.strip():
            continue
        language, key = _language(source, code, tree, path)
        joined = "/".join(key)
        if not language or not (
            not source.keep or any(fnmatchcase(joined, pattern) for pattern in source.keep)
        ):
            continue
        if not any(fnmatchcase(joined, pattern) for pattern in source.leave):
            yield language, key, path, value


def _language(source: Source, code: str, tree: Mapping[str, Any], path: Parts) -> tuple[str, Parts]:
    """Language and key of a text; an empty language where it is not a text of this source."""
    match source.keyed:
        case "file":
            return code, path
        case "section":
            return (path[0], path[1:]) if _CODE.fullmatch(path[0]) else ("", path)
        case "leaf":
            return (path[-1], path[:-1]) if _CODE.fullmatch(path[-1]) else ("", path)
        case "rows":
            return str(tree[path[0]].get("language") or ""), path
        case "columns":
            match = _COLUMN.fullmatch(path[1])
            row = next(iter(tree[path[0]].values()))
            form = match and (match["form"] or "name")
            return (match["language"], (row, str(form))) if match else ("", path)
        case "origin":
            return _of_name(tree[path[0]], path)


def _of_name(row: Mapping[str, str], path: Parts) -> tuple[str, Parts]:
    """Language and key of a given name in its own spelling, where it has one; of its origin the first language."""
    if path[1] != ("native" if row["native"] else "name"):
        return "", path
    codes = (_codes().get(word.lower()) for word in re.findall(r"\w+", row["origin"]))
    return next(filter(None, codes), OTHER), (row["group"], row["gender"], row["name"])


@cache
def _codes() -> dict[str, str]:
    """Codes of languages by their English names (CLDR)."""
    from babel import Locale

    names = {name.lower(): code for code, name in Locale("en").languages.items() if _CODE.fullmatch(code)}
    return {**names, "bengali": "bn"}


def _catalogue(content: str) -> dict[str, Any]:
    """Translations by their English text; several forms of one by their number. Drafts (fuzzy) are none."""
    from babel.messages.pofile import read_po

    translations: dict[str, Any] = {}
    for message in read_po(io.BytesIO(content.encode())):
        if not message.id or message.fuzzy:
            continue
        single = message.id if isinstance(message.id, str) else message.id[0]
        name = f"{message.context}: {single}" if message.context else single
        translations[name] = message.string if isinstance(message.string, str) else list(message.string or ())
    return translations
