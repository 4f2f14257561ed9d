"""The language of a file of questions that does not say it; looked up once, however often the file is read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from endoxa.curate.unstated_language import Taken, taken_language
from endoxa.sources.bbq import texts_without_language
from endoxa.sources.files import require_file


def language_of_questions(path: Path, columns: Mapping[str, str] | None = None) -> Taken | None:
    """The language that is taken for questions without one; None where all of the first ones name theirs.

    Raises:
        UserError: the file cannot be read, or its language cannot be told.
    """
    require_file(path)
    state = path.stat()
    return _language(path, tuple(sorted((columns or {}).items())), (state.st_mtime_ns, state.st_size))


@lru_cache(maxsize=8)
def _language(path: Path, columns: tuple[tuple[str, str], ...], _state: tuple[int, int]) -> Taken | None:
    texts = texts_without_language(path, dict(columns))
    return taken_language(texts, path.name) if texts else None
