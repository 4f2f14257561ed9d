"""What every row that endoxa makes says of itself; a row without these columns says nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

BUILT_BY, WORDS = "built_by", "words"
PROVENANCE_COLUMNS: dict[str, str] = {
    BUILT_BY: "the command that made the row ('endoxa build pairs'), or empty where endoxa did not make it",
    WORDS: "endoxa's own words that it was made with: 'component:language', separated by ';'; or empty",
}
"""Columns of items and drafts; readers keep them, so that a result knows what it rests on."""


def words_cell(used: Iterable[tuple[str, str]]) -> str:
    """The cell `words`: components with their languages, each once ('pair templates:fr;opposites:fr')."""
    return ";".join(dict.fromkeys(f"{component}:{language}" for component, language in used))


def words_of_cells(built_by: str | None, words: str | None) -> Iterator[tuple[str, str]]:
    """Components and languages that a row states; nothing where a command of endoxa did not make it."""
    if (built_by or "").startswith("endoxa "):
        for entry in (words or "").split(";"):
            component, _, language = entry.partition(":")
            yield component, language
