"""The languages that prompts are asked for in, read, merged and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from endoxa.errors import UserError
from endoxa.instruments.stories.prompts.check import check_language
from endoxa.instruments.stories.prompts.language import (
    Language,
    bundled_languages,
    bundled_tree,
    parse_language,
    read_trees,
)
from endoxa.instruments.stories.prompts.prompts import vocabulary_of
from endoxa.instruments.stories.prompts.tree import Tree

DEFAULT = "en"


@dataclass(frozen=True, slots=True)
class Checked:
    """A language and what is wrong with it.

    Attributes:
        language: its parts.
        faults: one sentence for each fault, with file, line and key.
    """

    language: Language
    faults: tuple[str, ...]


def load_languages(codes: Sequence[str], own: Sequence[Path]) -> list[Language]:
    """Languages by code, those of the user's files where no code is given.

    Raises:
        UserError: there is no such language, a file cannot be read, or a language has a fault.
    """
    trees = read_trees(own)
    wanted = tuple(dict.fromkeys(codes)) or tuple(trees) or (DEFAULT,)
    unused = trees.keys() - set(wanted)
    if unused:
        code = min(unused)
        raise UserError(
            f"A file is for the language '{code}', which was not requested. Add --language {code}."
        )
    checked = [_checked(trees.get(code) or _bundled(code)) for code in wanted]
    faults = [fault for one in checked for fault in one.faults]
    if faults:
        more = f" {len(faults) - 1} more: --check FILE lists them all." if len(faults) > 1 else ""
        raise UserError(f"{faults[0]}{more}")
    return [one.language for one in checked]


def check_files(own: Sequence[Path]) -> list[Checked]:
    """The languages of files, each laid over the bundled one where there is one.

    Raises:
        UserError: a file cannot be read, or a part of it is missing, unknown, or not of the right kind.
    """
    return [_checked(tree) for tree in read_trees(own).values()]


def _bundled(code: str) -> Tree:
    tree = bundled_tree(code)
    if tree is None:
        raise UserError(
            f"--language: no story prompts in '{code}'. Available: {', '.join(bundled_languages())}. Give your own "
            "with "
            "--file FILE."
        )
    return tree


def _checked(tree: Tree) -> Checked:
    language = parse_language(tree)
    faults = check_language(language, vocabulary_of([language]))
    return Checked(
        language,
        tuple(f"{tree.place(fault.key)}, {' / '.join(fault.key)}: {fault.message}." for fault in faults),
    )
