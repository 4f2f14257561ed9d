"""Translation of statements into the working language, only where it is asked for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from endoxa.errors import UserError
from endoxa.models.chat import PROVIDERS, open_chat, parse_chat_model
from endoxa.models.chat.spec import ChatOptions, ChatSpec, read_key
from endoxa.models.retrying import PATIENCE
from endoxa.schema import ChatAnswer, Message, Progress, Sampling
from endoxa.sources.frames import read_table
from endoxa.words.packs import language_name

Key = tuple[str, str]
"""Language and text of a statement."""
FORMS = "hf/MODEL, openai/NAME, http://HOST:PORT/v1#NAME, or a file of translations"


@dataclass(frozen=True, slots=True)
class Translator:
    """Something that translates statements.

    Attributes:
        name: the translator as written on the command line; translations are remembered under it.
        translate: the translation of each text in order, as they become known, of texts and the ISO 639-1 codes of
            their language and of the one to translate into; None where there is none.
        remembered: whether its translations are worth writing down (a file of translations already is).
    """

    name: str
    translate: Callable[[Sequence[str], str, str], Iterator[str | None]]
    remembered: bool = True


def open_translator(words: str) -> Translator:
    """The translator that `words` name: `hf/...`, `openai/NAME`, `http://...#NAME`, or the path of a table.

    To a chat model nothing is sent yet. A table has the columns original, translation and, if one text can be of two
    languages, language; its target language is taken to be the one that is wanted.

    Raises:
        UserError: the words name none, a key or library is missing, or the model or file cannot be used.
    """
    if words.startswith(("hf/", "openai/", "http://", "https://")):
        spec = parse_chat_model(words)
        if spec.host.key:
            read_key(spec)
        return Translator(words, partial(_answers, spec))
    if any(provider.takes(words) for provider in PROVIDERS.all().values()):
        raise UserError(f"--translate: '{words}' is unknown. Expected {FORMS}.")
    translations = _read_translations(Path(words))

    def look_up(texts: Sequence[str], source: str, _: str) -> Iterator[str | None]:
        for plain in map(_plain, texts):
            yield translations.get((source, plain), translations.get(("", plain)))

    return Translator(words, look_up, remembered=False)


SAMPLING = Sampling(temperature=0, max_tokens=2048)
AT_ONCE = 8
"""Requests under way at once."""
LONGEST_ANSWER = 4
"""An answer longer than this many times the statement, plus `SLACK` characters, is a refusal or a comment."""
SLACK = 60
_PROMPT = (
    "You translate single statements of a survey about stereotypes from {source} into {target}. The statements are "
    "data for research on bias. Translate the user's whole message, word by word where that is natural; keep its "
    "bluntness, its number and its mistakes of fact; add, soften and explain nothing. Reply with the translation only."
)


def _answers(spec: ChatSpec, texts: Sequence[str], source: str, target: str) -> Iterator[str | None]:
    """Translations of a chat model, each statement in a request of its own, at temperature 0.

    Raises:
        UserError: the server cannot be reached or refuses the key or the model; single refused texts are None.
    """
    prompt = Message("system", _PROMPT.format(source=language_name(source), target=language_name(target)))
    with asyncio.Runner() as runner:
        model = open_chat(spec, ChatOptions(concurrency=AT_ONCE, patience=PATIENCE))

        async def answered(part: Sequence[str]) -> list[ChatAnswer | BaseException]:
            asked = (model.ask([prompt, Message("user", text)], SAMPLING) for text in part)
            return await asyncio.gather(*asked, return_exceptions=True)

        for start in range(0, len(texts), AT_ONCE):
            part = texts[start : start + AT_ONCE]
            answers = runner.run(answered(part))
            for text, answer in zip(part, answers, strict=True):
                yield None if isinstance(answer, BaseException) else _usable(answer.text, text)
            # What else was answered, and paid for, has been handed on.
            for problem in (answer for answer in answers if isinstance(answer, BaseException)):
                raise problem
        runner.run(model.close())


def _usable(content: str, text: str) -> str | None:
    """The translation on one line, or None where the answer is empty or far too long to be one."""
    line = " ".join(content.split())
    if len(line) > 1 and line[0] == line[-1] == '"' and not text.startswith('"'):
        line = line[1:-1].strip()
    return line if line and len(line) <= LONGEST_ANSWER * len(text) + SLACK else None


ORIGINAL, TRANSLATION, LANGUAGE = "original", "translation", "language"


def _read_translations(path: Path) -> dict[Key, str]:
    """Translations of a table by language (or nothing) and plain original: case and white space do not matter.

    Raises:
        UserError: the file cannot be read, lacks a column, or translates one original in two ways.
    """
    table = read_table(path, (ORIGINAL, TRANSLATION))
    translations: dict[Key, str] = {}
    for number, row in enumerate(table.iter_rows(named=True), start=1):
        original, translation = row[ORIGINAL] or "", " ".join((row[TRANSLATION] or "").split())
        if not original.strip() or not translation:
            continue
        key = ((row.get(LANGUAGE) or "").strip().lower(), _plain(original))
        if translations.setdefault(key, translation) != translation:
            raise UserError(
                f"{path}, row {number}: '{original[:60]}' has a different translation in an earlier row. Keep one."
            )
    return translations


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split()).strip(" .")


def translate_all(
    texts: Sequence[str],
    languages: Sequence[str],
    translator: Translator,
    *,
    target: str,
    memory: Path | None = None,
    progress: Progress | None = None,
) -> list[str | None]:
    """Each text in the language `target`, None where it failed; texts that already are in it stay as they are.

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
        about = {"translator": translator.name, "target": target}
        with _appending(memory) as write:
            for done, (key, text) in enumerate(_made(missing, translator, target), start=1):
                if text is not None:
                    remembered_texts[key] = text
                    write({**about, "language": key[0], "original": key[1], "translation": text})
                if progress:
                    progress("translating", done, len(missing))
    return [remembered_texts.get(key) if key in wanted else key[1] for key in keys]


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
def _appending(path: Path | None) -> Iterator[Callable[[Mapping[str, str]], None]]:
    """A function that writes a translation down at once."""
    if path is None:
        yield lambda _: None
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            data = path.read_bytes()
            if data and not data.endswith(b"\n"):
                path.write_bytes(data[: data.rfind(b"\n") + 1])
        with path.open("a", encoding="utf-8", newline="\n", buffering=1) as stream:
            yield lambda entry: print(json.dumps(entry, ensure_ascii=False), file=stream)
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror or problem}.") from problem
