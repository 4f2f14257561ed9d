"""Prompts: ours by language, or a file of the user's own in the same form.

A prompt file has a name with its version, a frame that says what the rows are for, the form of the answer, and for
each kind the task. Placeholders in braces are filled in.

Checks of wording that several kinds share: whether words are in a sentence, and what is odd about a pair.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endoxa.author.kind import folded
from endoxa.errors import UserError
from endoxa.words.packs import file_with, languages_with

STOP = "===STOP==="
"""What a model may write when it can give no further row (AfriStereo, B.3, used a similar word)."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of one file.

    Attributes:
        id: name with version ("endoxa-author-en-1").
        texts: text by name: 'frame', 'answer', 'stop', and one for each kind.
        path: where they were read, for messages.
    """

    id: str
    texts: Mapping[str, str]
    path: str

    def fill(self, kind: str, fields: Mapping[str, str], **values: Any) -> str:
        """The whole request: frame, task, form of the answer, stop word.

        Args:
            kind: which task.
            fields: fields of a row, with what stands in them.
            values: what the placeholders of the task stand for.

        Raises:
            UserError: the file has no such task, or a placeholder that we do not know.
        """
        listed = "\n".join(f"- {name}: {text}" for name, text in fields.items())
        row = json.dumps(dict.fromkeys(fields, "..."), ensure_ascii=False)
        parts = [
            self._filled("frame"),
            self._filled(kind, **values),
            self._filled("answer", fields=listed, row=row),
            self._filled("stop", stop=STOP),
        ]
        return "\n\n".join(part for part in parts if part)

    def _filled(self, name: str, **values: Any) -> str:
        if name not in self.texts:
            raise UserError(f"{self.path} has no text '{name}'. Write one, or leave --prompts out.")
        try:
            return self.texts[name].strip().format(**values)
        except (KeyError, IndexError, ValueError) as problem:
            available = ", ".join(f"{{{key}}}" for key in values) or "none"
            raise UserError(
                f"{self.path}, text '{name}': the placeholder {problem} is not known. Placeholders here: {available}."
            ) from problem


def languages() -> list[str]:
    """Languages that we have prompts in."""
    return list(languages_with("prompts.toml"))


def read_prompts(language: str, user_folder: Path | None) -> Prompts:
    """Our prompts in a language, or those of a file.

    Raises:
        UserError: there are none in the language, or the file cannot be read.
    """
    if user_folder is None:
        if language not in languages():
            raise UserError(
                f"There are no prompts in '{language}'. Choose one of {', '.join(languages())}, or give your own file "
                "with --prompts."
            )
        text = file_with(language, "prompts.toml").read_text(encoding="utf-8")
        return _read(text, f"{language}/prompts.toml")
    try:
        return _read(user_folder.read_text(encoding="utf-8"), str(user_folder))
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError(
            f"{user_folder} cannot be read: {problem}. Expected a TOML file with prompts."
        ) from problem


def _read(text: str, path: str) -> Prompts:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise UserError(f"{path} is not TOML: {problem}.") from problem
    name, texts = table.get("id"), table.get("texts")
    if not isinstance(name, str) or not isinstance(texts, dict):
        raise UserError(f'{path} needs `id = "NAME"` and a table [texts] with a text for each task.')
    return Prompts(name, {key: str(value) for key, value in texts.items()}, path)


def digest(text: str) -> str:
    """First 12 characters of the SHA-256 of what was sent."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


SHOWN_CHECKS = frozenset(
    {
        "no-word-differs",
        "negation-only",
        "several-spans",
        "multiple-perturbations",
        "long-perturbation",
        "length-difference",
        "other-changes",
        "article",
        "pronoun",
        "doubled-word",
        "final-punctuation",
        "mixed-script-word",
        "mixed-scripts",
        "scripts-differ",
        "script-language",
    }
)
"""Checks of `endoxa datasets check` that say something about a draft of a pair."""


def holds(sentence: str, words: str) -> bool:
    """Whether a sentence has these words, in order, without regard to letters at their end ("woman's", "farmers")."""
    pattern = r"\W+".join(
        re.escape(word[:-1] if len(word) > 4 and word.endswith(("s", "e", "y")) else word) + r"\w*"
        for word in folded(words).split()
    )
    return re.search(r"(?<!\w)" + pattern, sentence.casefold()) is not None


def pair_checks(more: str, less: str, language: str) -> tuple[str, ...]:
    """Names of the checks of pairs that find something in a draft."""
    from endoxa.sources.check import checks_of_pair

    return tuple(name for name in checks_of_pair(more, less, language) if name in SHOWN_CHECKS)
