"""Prompts: ours by language, or a file of the user's own in the same form.

A prompt file has a name with its version, a frame that says what the rows are for, the form of the answer, and for
each kind the task. Placeholders in braces are filled in.

A check of wording that several kinds share: whether words are in a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import regex
from pydantic import BaseModel, ConfigDict, Field

from endoxa.author.kind import folded
from endoxa.errors import UserError
from endoxa.runs.answers.language import language
from endoxa.runs.answers.text import declined, first_reply, outer_objects
from endoxa.sources.toml import read_toml, validated
from endoxa.words.packs import file_with, languages_with, words_of

STOP = "===STOP==="
"""What a model may write when it can give no further row (AfriStereo, B.3, used a similar word)."""


_OPTIONAL = ("in_country", "there", "expand_groups", "stereotype")
"""Texts that are taken from English where a file lacks them."""


class Prompts(BaseModel):
    """The prompts of one file.

    Attributes:
        id: name with version ("endoxa-author-en-1").
        texts: text by name: 'frame', 'answer', 'stop', and one for each kind.
        fields_of: by kind, what stands in each field of a row; `fields` in the file.
        path: where they were read, for messages.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    texts: Mapping[str, str]
    fields_of: Annotated[Mapping[str, Mapping[str, str]], Field(alias="fields")] = {}
    path: str = ""

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
        explained = words_of("en", "prompts.toml")["fields"][task] | self.fields_of.get(task, {})
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

    def groups(self, names: Sequence[str]) -> str:
        """The groups to think of; empty where none are named."""
        return self._filled("expand_groups", groups=", ".join(names)) if names else ""

    def _filled(self, name: str, **values: Any) -> str:
        english = words_of("en", "prompts.toml")["texts"]
        text = self.texts.get(name, english[name] if name in _OPTIONAL else None)
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
    path = user_file or file_with(language, "prompts.toml")
    expected = (
        'Expected `id = "NAME"`, a table [texts] with a text for each task, and perhaps tables [fields.TASK].'
    )
    return validated(Prompts, read_toml(path) | {"path": str(path)}, str(path), expected)


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
    for outer in outer_objects(text):
        yield from _of_object(outer, fields)


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


def _alone(text: str, fields: Sequence[str]) -> Iterator[Mapping[str, str]]:
    """A short answer of one line where a row has one field: "label: Economy" or "Economy"."""
    line = text.strip().strip("`*\"'").strip()
    if len(fields) == 1 and line and "\n" not in line and len(line) <= LONGEST_ALONE and "{" not in line:
        name, colon, rest = line.partition(":")
        yield {fields[0]: (rest if colon and _plain(name) == _plain(fields[0]) else line).strip(" .\"'*")}
