"""Translating the statements of a survey once each, and remembering what was paid for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from endoxa.curate.translation.backends import Translator
from endoxa.errors import UserError
from endoxa.schema import Progress

Key = tuple[str, str]
"""Language and text of a statement."""


@dataclass(frozen=True, slots=True)
class Translated:
    """A statement in the working language; `failed` where the original had to stay."""

    text: str
    failed: bool = False


def translate_all(
    texts: Sequence[str],
    languages: Sequence[str],
    translator: Translator,
    *,
    target: str,
    memory: Path | None = None,
    progress: Progress | None = None,
) -> list[Translated]:
    """Each text in the language `target`; texts that already are in it stay as they are.

    Equal texts are translated once. Every translation is appended to the file `memory` as it arrives (a JSON object per
    line) and read from there the next time, so that a killed run goes on where it stopped. Failures are not remembered:
    the next run tries them again.

    Args:
        texts: statements.
        languages: ISO 639-1 code of each.
        translator: what translates.
        target: ISO 639-1 code of the working language.
        memory: file of translations made by `translator`; None to remember nothing.
        progress: told (what, done, total) as work is done.

    Raises:
        UserError: the translator fails as a whole, or the memory cannot be read or written.
    """
    keys = list(zip(languages, texts, strict=True))
    wanted = dict.fromkeys(key for key in keys if key[0] != target)
    memory = memory if translator.remembered else None
    remembered_texts = _remembered(memory, translator.name, target) if memory else {}
    missing = [key for key in wanted if key not in remembered_texts]
    if missing:
        with _notebook(memory, translator.name, target) as note:
            for done, (key, text) in enumerate(_made(missing, translator, target), start=1):
                if text is not None:
                    remembered_texts[key] = text
                    note(key, text)
                if progress:
                    progress("translating", done, len(missing))
    return [
        Translated(remembered_texts.get(key, key[1]), failed=key not in remembered_texts)
        if key in wanted
        else Translated(key[1])
        for key in keys
    ]


def _made(keys: Sequence[Key], translator: Translator, target: str) -> Iterator[tuple[Key, str | None]]:
    """Translations one language after the other."""
    for source in dict.fromkeys(language for language, _ in keys):
        texts = [text for language, text in keys if language == source]
        for text, translation in zip(texts, translator.translate(texts, source, target), strict=True):
            yield (source, text), translation


def _remembered(path: Path, translator: str, target: str) -> dict[Key, str]:
    """Translations made by the same translator into the same language; a last line cut in half is left out."""
    if not path.exists():
        return {}
    translations: dict[Key, str] = {}
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as problem:
        raise UserError(f"{path} cannot be read: {problem.strerror or problem}.") from problem
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line)
            if (entry["translator"], entry["target"]) == (translator, target):
                translations[entry["language"], entry["original"]] = entry["translation"]
        except (ValueError, KeyError, TypeError) as problem:
            if number < len(lines):
                raise UserError(
                    f"{path}, line {number}: not a stored translation. Remove the line, or the file to start over."
                ) from problem
    return translations


@contextmanager
def _notebook(path: Path | None, translator: str, target: str) -> Iterator[Callable[[Key, str], None]]:
    """A function that writes a translation down at once."""
    if path is None:
        yield lambda _key, _text: None
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            data = path.read_bytes()
            if data and not data.endswith(b"\n"):
                path.write_bytes(data[: data.rfind(b"\n") + 1])
        with path.open("a", encoding="utf-8", newline="\n") as stream:
            yield lambda key, text: _append(stream, translator, target, key, text)
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror or problem}.") from problem


def _append(stream: TextIO, translator: str, target: str, key: Key, text: str) -> None:
    entry = {
        "translator": translator,
        "target": target,
        "language": key[0],
        "original": key[1],
        "translation": text,
    }
    stream.write(json.dumps(entry, ensure_ascii=False) + "\n")
    stream.flush()
