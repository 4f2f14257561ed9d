"""The words of a language: the package's folder `words/LANGUAGE/`, and packs of the user, which are looked at first.

A pack of the user is a folder of the same files with a `pack.toml` that says its code. The variable `ENDOXA_PACK` names
packs; of a file that a pack lacks, the package's is read, if it has the language.
`words/README.md` says what each file holds.
"""

from __future__ import annotations

import csv
import hashlib
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Len
from pydantic import BaseModel, ConfigDict, Field

VARIABLE = "ENDOXA_PACK"
"""Environment variable: folders of packs, separated as in PATH; child processes inherit it."""
PACK = "pack.toml"
FORMER = ("direction", "digits")
"""Keys of packs of earlier versions, which nothing needs: letters say themselves which way they are read."""
BESIDE = ("README.md", "cases.csv", "faults.csv", "reviews.toml")
"""Files of a pack that decide no result."""
FOLDER = Path(__file__).parent
_CACHED = type(cache(len))


class Pack(BaseModel):
    """What `pack.toml` says of a language.

    Attributes:
        code: ISO 639 code.
        name: its English name.
        script: ISO 15924 code.
        quotes: outer and, where there are four, inner quotation marks.
        stops: marks that end a sentence: a statement, a question, an exclamation.
        status: "draft" or "reviewed".
        source: where the words come from.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: Annotated[str, Field(pattern="^[a-z]{2,3}$")]
    name: str
    script: Annotated[str, Field(pattern="^[A-Z][a-z]{3}$")]
    quotes: Annotated[tuple[str, ...], Len(2, 4)]
    stops: Annotated[tuple[Annotated[str, Len(1)], ...], Len(1)]
    status: Literal["draft", "reviewed"]
    source: str


@cache
def user_packs() -> Mapping[str, tuple[Path, ...]]:
    """Folders of the user's packs by the code of their language, those given first in front.

    Raises:
        UserError: a pack cannot be used.
    """
    folders: dict[str, tuple[Path, ...]] = {}
    for entry in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        from endoxa.words.opening import opened

        code = opened(Path(entry)).code
        folders[code] = (*folders.get(code, ()), Path(entry))
    return folders


@contextmanager
def using(packs: Sequence[Path]) -> Iterator[None]:
    """Use packs, before those in use, while the block is carried out; child processes use them, too.

    Args:
        packs: their folders.

    Raises:
        UserError: a pack cannot be used.
    """
    before = os.environ.get(VARIABLE)
    absolute = (str(pack.expanduser().absolute()) for pack in packs)
    os.environ[VARIABLE] = os.pathsep.join([*absolute, *filter(None, [before])])
    _forget()
    try:
        user_packs()
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before
        _forget()


def _forget() -> None:
    """Forget what was computed from other words, wherever a function of ours remembers it."""
    for name, module in list(sys.modules.items()):
        if name.startswith("endoxa"):
            for value in list(vars(module).values()):
                if isinstance(value, _CACHED):
                    value.cache_clear()


@cache
def pack_facts() -> tuple[dict[str, str], ...]:
    """The packs in use, as `run.json` names them: code, path and digest of the files that decide results."""
    return tuple(
        {"code": code, "path": str(folder), "digest": _digest(folder)}
        for code, folders in user_packs().items()
        for folder in folders
    )


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name not in BESIDE:
            digest.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


@cache
def languages_with(name: str) -> tuple[str, ...]:
    """ISO 639 codes of the languages that have a file, sorted."""
    codes = {entry.name for entry in FOLDER.iterdir() if entry.joinpath(name).is_file()}
    return tuple(sorted(codes.union(code for code in user_packs() if user_file(code, name))))


def user_file(language: str, name: str) -> Path | None:
    """The file of a language in the user's packs; None where they have none, or packs have no such file."""
    if not (folders := user_packs().get(language)):
        return None
    from endoxa.words.opening import formats

    paths = (folder / name for folder in folders if name in formats())
    return next((path for path in paths if path.is_file()), None)


def file_with(language: str, name: str) -> Path:
    """The file of one of `languages_with(name)`.

    Args:
        language: ISO 639 code; empty for a file of all languages at once.
        name: name of the file, with its ending ("pairs.toml").
    """
    return (user_file(language, name) if language else None) or FOLDER / language / name


def _text(language: str, name: str) -> str:
    """What a file holds; empty where the language, which may be anything that a user typed, has none."""
    if language and language not in languages_with(name):
        return ""
    return file_with(language, name).read_text(encoding="utf-8")


@cache
def words_of(language: str, name: str) -> Mapping[str, Any]:
    """What a TOML file of a language holds, see `file_with`; empty where the language has none."""
    return tomllib.loads(_text(language, name))


@cache
def words_by_language(name: str) -> Mapping[str, Mapping[str, Any]]:
    """What the TOML files of a name hold, by language."""
    return {language: words_of(language, name) for language in languages_with(name)}


@cache
def rows_of(language: str, name: str) -> tuple[Mapping[str, str], ...]:
    """The rows of a table (CSV) of a language, see `file_with`; none where the language has no such table."""
    return tuple(csv.DictReader(_text(language, name).splitlines()))


@cache
def pack_of(language: str) -> Pack | None:
    """What `pack.toml` says of a language; None where it has none."""
    table = words_of(language, PACK)
    return read_pack(table) if table else None


def read_pack(table: Mapping[str, Any]) -> Pack:
    """A table of `pack.toml`.

    Raises:
        ValidationError: it is not as `Pack` says.
    """
    return Pack.model_validate({name: value for name, value in table.items() if name not in FORMER})


@cache
def stops() -> str:
    """Marks that end a sentence in any language that has a pack, in use or of the package: ".?!", "؟", "।"."""
    return "".join(sorted({".", "?", "!"}.union(*(pack.stops for pack in _packs()))))


@cache
def full_stops() -> str:
    """Those of them that end a statement."""
    return "".join(sorted({"."}.union(pack.stops[0] for pack in _packs() if pack.stops)))


@cache
def quotation_marks() -> str:
    """Outer quotation marks of every language that has a pack, and the straight ones."""
    return "".join(sorted({'"'}.union(*(pack.quotes[:2] for pack in _packs()))))


def _packs() -> list[Pack]:
    return [pack for pack in map(pack_of, languages_with(PACK)) if pack]


def language_name(code: str, language: str = "en") -> str:
    """Name of a language ("Hindi" for "hi"), from Unicode's CLDR; else from its pack, else its code.

    Args:
        code: its ISO 639 code.
        language: code of the language in which the name is wanted.
    """
    from babel import Locale, UnknownLocaleError

    try:
        names = Locale.parse(language.replace("-", "_")).languages
    except (UnknownLocaleError, ValueError):
        return code
    pack = pack_of(code)
    return str(names.get(code.replace("-", "_"), pack.name if pack else code))
