"""Prompts: ours by language, or a file of the user's own in the same form.

A prompt file has a name with its version, a frame that says what the rows are for, the form of the answer, and for
each kind the task. Placeholders in braces are filled in.

A check of wording that several kinds share: whether words are in a sentence.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import regex

from endoxa.author.kind import folded
from endoxa.errors import UserError
from endoxa.runs.answers.language import language
from endoxa.runs.answers.text import declined, first_reply, outer_objects
from endoxa.sources.toml import read_toml
from endoxa.words.packs import file_with, languages_with, words_of

STOP = "===STOP==="
"""What a model may write when it can give no further row (AfriStereo, B.3, used a similar word)."""


_OPTIONAL = {
    "in_country": "in {country}",
    "there": "there",
    "expand_only": "{groups}",
    "expand_groups": "{groups}",
}
"""Texts that stand for those that a file lacks; a stereotype is then said as in English."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of one file.

    Attributes:
        id: name with version ("endoxa-author-en-1").
        texts: text by name: 'frame', 'answer', 'stop', and one for each kind.
        fields: by kind, what stands in each field of a row.
        path: where they were read, for messages.
    """

    id: str
    texts: Mapping[str, str]
    fields: Mapping[str, Mapping[str, str]]
    path: str

    def fill(self, kind: str, fields: Sequence[str], **values: Any) -> str:
        """The whole request: frame, task, form of the answer, stop word.

        Args:
            kind: which task.
            fields: fields of a row; our English words say what stands in those that the file does not explain.
            values: what the placeholders of the task stand for.

        Raises:
            UserError: the file has no such task, or a placeholder that we do not know.
        """
        task = kind.partition("_")[0]
        explained = words_of("en", "prompts.toml")["fields"][task] | self.fields.get(task, {})
        listed = "\n".join(f"- {name}: {explained[name]}" for name in fields)
        row = json.dumps(dict.fromkeys(fields, "..."), ensure_ascii=False)
        parts = [
            self._filled("frame"),
            self._filled(kind, **values),
            self._filled("answer", fields=listed, row=row),
            self._filled("stop", stop=STOP),
        ]
        return "\n\n".join(part for part in parts if part)

    def place(self, country: str = "") -> str:
        """Where people are: "in Senegal", or "there" where no country is given."""
        return self._filled("in_country" if country else "there", country=country)

    def stereotype(self, identity: str, attribute: str) -> str:
        """A sentence that says a stereotype; in the words of English where the file has none."""
        sentence = self._filled("stereotype", identity=identity, attribute=attribute)
        return sentence[:1].upper() + sentence[1:]

    def groups(self, names: Sequence[str], *, only: bool) -> str:
        """The groups to think of, or the only ones."""
        return self._filled("expand_only" if only else "expand_groups", groups=", ".join(names))

    def _filled(self, name: str, **values: Any) -> str:
        english = words_of("en", "prompts.toml")["texts"]["stereotype"]
        text = self.texts.get(name, {**_OPTIONAL, "stereotype": english}.get(name))
        if text is None:
            raise UserError(f"{self.path} has no text '{name}'. Write one, or leave --prompts out.")
        try:
            return text.strip().format(**values)
        except (KeyError, IndexError, ValueError) as problem:
            available = ", ".join(f"{{{key}}}" for key in values) or "none"
            raise UserError(
                f"{self.path}, text '{name}': the placeholder {problem} is not known. Placeholders here: {available}."
            ) from problem


def languages() -> list[str]:
    """Languages that we have prompts in."""
    return list(languages_with("prompts.toml"))


def read_prompts(language: str, user_file: Path | None) -> Prompts:
    """Our prompts in a language, or those of a file.

    Raises:
        UserError: there are none in the language, or the file cannot be read.
    """
    if user_file is None and language not in languages():
        raise UserError(
            f"There are no prompts in '{language}'. Choose one of {', '.join(languages())}, or give your own file "
            "with --prompts."
        )
    path = user_file or Path(str(file_with(language, "prompts.toml")))
    table = read_toml(path)
    name, texts, fields = table.get("id"), table.get("texts"), table.get("fields", {})
    if not isinstance(name, str) or not isinstance(texts, dict):
        raise UserError(f'{path} needs `id = "NAME"` and a table [texts] with a text for each task.')
    if not isinstance(fields, dict) or not all(isinstance(named, dict) for named in fields.values()):
        raise UserError(f"{path}: what stands in the fields of a row belongs in a table [fields.TASK].")
    return Prompts(name, {key: str(value) for key, value in texts.items()}, fields, str(path))


def digest(text: str) -> str:
    """First 12 characters of the SHA-256 of what was sent."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


_ENDING = regex.compile(r"[sey]$|\p{M}+$")


def holds(sentence: str, words: str) -> bool:
    """Whether a sentence has these words, in order, without regard to their endings and to what is written before them.

    Letters at the end ("woman's", "farmers"), vowel signs there (Hindi "औरतें", "औरतों"), and Arabic particles, which
    are written together with the word ("للنساء" has "النساء").
    """
    stems = (_ENDING.sub("", word) if len(word) > 4 else word for word in folded(words).split())
    pattern = r"[^\w\p{M}]+".join(
        rf"[وفبكل]{{0,2}}(?:ا?ل)?{regex.escape(stem.removeprefix('ال'))}[\w\p{{M}}]*" for stem in stems
    )
    return regex.search(rf"(?<![\w\p{{M}}]){pattern}", sentence.casefold()) is not None


LONGEST_ALONE = 300
"""Letters of an answer that can be the one field of a row."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answer holds.

    Attributes:
        rows: rows before the stop word, field -> text; fields that are missing are not in them.
        after: rows after it.
        stopped: the model wrote the stop word.
        refused: it declined and gave no row.
    """

    rows: tuple[Mapping[str, str], ...]
    after: tuple[Mapping[str, str], ...] = ()
    stopped: bool = False
    refused: bool = False


def read_reply(text: str, fields: Sequence[str], code: str = "en") -> Reply:
    """The rows of an answer.

    Args:
        text: the answer.
        fields: fields of a row.
        code: language of the prompt, in which the model may have declined.
    """
    turn = first_reply(text)
    before, stop, after = turn.partition(STOP)
    rows = tuple(_rows(before, fields))
    refused = not rows and declined(before, language(code)).refused
    if not rows and not refused:
        rows = tuple(_alone(before, fields))
    return Reply(rows, tuple(_rows(after, fields)), bool(stop), refused)


def _rows(text: str, fields: Sequence[str]) -> Iterator[Mapping[str, str]]:
    rows = [row for outer in outer_objects(text) for row in _of_object(outer, fields)]
    yield from rows or _of_table(text, fields)


def _of_object(record: Mapping[str, Any], fields: Sequence[str]) -> Iterator[Mapping[str, str]]:
    """The rows in lists inside an object, else the object itself where it has a field."""
    lists = [
        value
        for value in record.values()
        if isinstance(value, list) and any(isinstance(item, dict) for item in value)
    ]
    if lists:
        for item in lists[0]:
            yield _named(item, fields) if isinstance(item, dict) else {}
    elif named := _named(record, fields):
        yield named


def _named(record: Mapping[str, Any], fields: Sequence[str]) -> dict[str, str]:
    """The fields of a row under our names; capitals, blanks and hyphens in a name do not matter."""
    called = {_plain(name): name for name in fields}
    return {
        called[_plain(key)]: " ".join(str(value).split())
        for key, value in record.items()
        if _plain(key) in called and isinstance(value, str | int | float) and not isinstance(value, bool)
    }


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _of_table(text: str, fields: Sequence[str]) -> Iterator[Mapping[str, str]]:
    """Rows below a heading that names at least half of the fields, separated by bars or commas."""
    lines = [line.strip() for line in text.splitlines() if line.strip(" -|:`")]
    called = {_plain(name): name for name in fields}
    for place, line in enumerate(lines):
        for split in (_bars, _commas):
            heading = [called.get(_plain(part)) for part in split(line)]
            if sum(name is not None for name in heading) * 2 > len(fields) and len(heading) > 1:
                for below in lines[place + 1 :]:
                    cells = split(below)
                    pairs = zip(heading, cells, strict=False)
                    yield {name: " ".join(value.split()) for name, value in pairs if name and value.strip()}
                return


def _bars(line: str) -> list[str]:
    return line.strip("|").split("|") if "|" in line else []


def _commas(line: str) -> list[str]:
    return next(csv.reader([line]), []) if "," in line else []


def _alone(text: str, fields: Sequence[str]) -> Iterator[Mapping[str, str]]:
    """A short answer of one line where a row has one field: "label: Economy" or "Economy"."""
    line = text.strip().strip("`*\"'").strip()
    if len(fields) == 1 and line and "\n" not in line and len(line) <= LONGEST_ALONE and "{" not in line:
        name, colon, rest = line.partition(":")
        yield {fields[0]: (rest if colon and _plain(name) == _plain(fields[0]) else line).strip(" .\"'*")}
