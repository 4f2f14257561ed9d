"""From what speakers said to a patch of the language files, with the reviews that it completes."""

from __future__ import annotations

import difflib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from endoxa.errors import UserError
from endoxa.words.components import COMPONENTS, ENGLISH, PACKAGE, SITE, SITE_PACKAGE, Text, file_of, texts_of
from endoxa.words.items import item_id
from endoxa.words.state import REVIEWS, Review, digest
from endoxa.words.writing import replaced

SPEAKERS = 2
"""Speakers who must have judged every text of a component before it counts as reviewed."""
NATURAL, CORRECTED = "natural", "corrected"
REQUIRED = ("item_id", "text", "words_state", "correction", "speakers")
"""Columns of the outcomes that a patch is made of."""
ROOT = "src/endoxa"
"""Where the files lie in the repository, as the patch names them."""


@dataclass(frozen=True, slots=True)
class Patch:
    """What a round of the language check comes to.

    Attributes:
        diff: a unified diff against the repository; empty where nothing changes.
        changed: number of texts that it corrects.
        reviews: components that are reviewed with it.
        left: items that are not settled or could not be used, with the reason.
    """

    diff: str
    changed: int
    reviews: tuple[Review, ...]
    left: tuple[tuple[str, str], ...]


def make_patch(rows: Sequence[Mapping[str, str]], date: str, package: Path = PACKAGE) -> Patch:
    """The patch that outcomes of a task of kind `words` ask for.

    A component is reviewed when every one of its texts has been judged by two speakers or more and is natural or
    corrected.

    Args:
        rows: outcomes with the columns of `REQUIRED`, and perhaps `names`.
        date: of the reviews (ISO 8601).
        package: folder of the package.

    Raises:
        UserError: an item that is not known.
    """
    texts = _texts_by_item(rows, package)
    left: list[tuple[str, str]] = []
    settled: dict[str, tuple[Text, Mapping[str, str]]] = {}
    corrected: dict[str, str] = {}
    files: dict[str, str] = {}
    for row in rows:
        name = row["item_id"]
        text = texts.get(name)
        problem = _problem(row, text)
        if text is None or problem:
            left.append((name, problem))
            continue
        if row["words_state"] == CORRECTED:
            content = files.get(text.file) or file_of(text.file, package).read_text(encoding="utf-8")
            new = _as_spaced(text.text, row["correction"])
            try:
                files[text.file] = replaced(text.file, content, text.path, new)
            except UserError as fault:
                left.append((name, str(fault)))
                continue
            corrected[name] = new
        settled[name] = (text, row)
    reviews = _reviews(settled, corrected, date, package)
    if reviews:
        files[REVIEWS] = (package / REVIEWS).read_text(encoding="utf-8") + "".join(map(_written, reviews))
    diff = "".join(_diff(name, content, package) for name, content in sorted(files.items()))
    return Patch(diff, len(corrected), tuple(reviews), tuple(left))


def _as_spaced(old: str, new: str) -> str:
    """A corrected text with the blanks and line breaks around the old one, which forms take off."""
    start, end = len(old) - len(old.lstrip()), len(old.rstrip())
    return old[:start] + new.replace("\r\n", "\n").strip() + old[end:]


def _texts_by_item(rows: Sequence[Mapping[str, str]], package: Path) -> dict[str, Text]:
    """The texts of the components and languages that the items are of, by the names of their items.

    Raises:
        UserError: a component that there is none of.
    """
    texts: dict[str, Text] = {}
    for component, language in sorted({_parts(row["item_id"]) for row in rows}):
        if component not in COMPONENTS:
            raise UserError(
                f"The component '{component}' is unknown. Expected items of `endoxa languages items`, and the table of "
                "outcomes that `endoxa collect task export` writes beside the judgements (NAME_items)."
            )
        texts |= {item_id(text): text for text in texts_of(COMPONENTS[component], language, package)}
    return texts


def _parts(name: str) -> tuple[str, str]:
    component, _, rest = name.partition("/")
    return component, rest.partition("/")[0]


def _problem(row: Mapping[str, str], text: Text | None) -> str:
    """Why an item is not used; empty where it is."""
    if text is None:
        return "there is no such text any more"
    if text.text.strip() != row["text"].strip():
        return "the text has changed since; make new items"
    if row["words_state"] not in (NATURAL, CORRECTED):
        return row["words_state"] or "not judged"
    if row["words_state"] == CORRECTED and not row["correction"].strip():
        return "the corrected text is empty"
    return ""


def _reviews(
    settled: Mapping[str, tuple[Text, Mapping[str, str]]],
    corrected: Mapping[str, str],
    date: str,
    package: Path,
) -> list[Review]:
    """Components of which every text is settled by enough speakers."""
    judged: dict[tuple[str, str], list[Mapping[str, str]]] = defaultdict(list)
    for text, row in settled.values():
        judged[text.component, text.language].append(row)
    reviews = []
    for (component, language), rows in judged.items():
        texts = texts_of(COMPONENTS[component], language, package)
        speakers = min(int(row["speakers"] or 0) for row in rows)
        if language == ENGLISH or speakers < SPEAKERS or any(item_id(text) not in settled for text in texts):
            continue
        now = [replace(text, text=corrected.get(item_id(text), text.text)) for text in texts]
        names = {name.strip() for row in rows for name in (row.get("names") or "").split(";")} - {""}
        reviews.append(Review(component, language, digest(now), speakers, date, tuple(sorted(names))))
    return reviews


def _written(review: Review) -> str:
    """A review as a table of TOML; JSON writes strings and lists of strings as TOML does."""
    cells = {
        "component": review.component,
        "language": review.language,
        "digest": review.digest,
        "speakers": review.speakers,
        "date": review.date,
        **({"names": list(review.names)} if review.names else {}),
    }
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in cells.items()]
    return "\n".join(["", "[[review]]", *lines, ""])


def _diff(name: str, content: str, package: Path) -> str:
    before = file_of(name, package).read_text(encoding="utf-8")
    # Only line feeds end lines for `git apply`; str.splitlines knows more.
    path = SITE_PACKAGE + name.removeprefix(SITE) if name.startswith(SITE) else f"{ROOT}/{name}"
    old, new = (text.split("\n") for text in (before, content))
    lines = difflib.unified_diff(
        [f"{line}\n" for line in old[:-1]],
        [f"{line}\n" for line in new[:-1]],
        f"a/{path}",
        f"b/{path}",
    )
    return "".join(lines)
