"""From what speakers said to a table of corrections of the language files, with the reviews that they complete."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from endoxa.errors import UserError
from endoxa.words.components import COMPONENTS, ENGLISH, Text, file_of, texts_of
from endoxa.words.items import item_id
from endoxa.words.state import Review, digest

SPEAKERS = 2
"""Speakers who must have judged every text of a component before it counts as reviewed."""
NATURAL, CORRECTED = "natural", "corrected"
REQUIRED = ("item_id", "text", "review_state", "correction", "review_judgements")
"""Columns of the outcomes that corrections are made of."""


@dataclass(frozen=True, slots=True)
class Corrections:
    """What a round of the language check comes to.

    Attributes:
        rows: file, key, text and correction of every text that is to be corrected.
        reviews: components that are reviewed once the corrections are in the files.
        left: items that are not settled or could not be used, with the reason.
    """

    rows: tuple[Mapping[str, str], ...]
    reviews: tuple[Review, ...]
    left: tuple[tuple[str, str], ...]


def corrections_of(rows: Sequence[Mapping[str, str]], date: str) -> Corrections:
    """The corrections that outcomes of a task of kind `words` ask for.

    A component is reviewed when every one of its texts has been judged by two speakers or more and is natural or
    corrected.

    Args:
        rows: outcomes with the columns of `REQUIRED`, and perhaps `names`.
        date: of the reviews (ISO 8601).

    Raises:
        UserError: an item that is not known.
    """
    texts: dict[str, Text] = {}
    for component, language in sorted({(*row["item_id"].split("/"), "")[:2] for row in rows}):
        if component not in COMPONENTS:
            raise UserError(
                f"The component '{component}' is unknown. Expected items of `endoxa languages check --sheet`, and the "
                "table of outcomes that `endoxa collect export --task` writes beside the judgements (NAME_items)."
            )
        texts |= {item_id(text): text for text in texts_of(COMPONENTS[component], language)}
    left: list[tuple[str, str]] = []
    settled: dict[str, Text] = {}
    judged: dict[tuple[str, str], list[Mapping[str, str]]] = defaultdict(list)
    for row in rows:
        text = texts.get(row["item_id"])
        problem = _problem(row, text)
        if text is None or problem:
            left.append((row["item_id"], problem))
            continue
        judged[text.component, text.language].append(row)
        settled[row["item_id"]] = text
        if row["review_state"] == CORRECTED:
            # Forms take off the blanks and line breaks around a text.
            start, end = len(text.text) - len(text.text.lstrip()), len(text.text.rstrip())
            correction = row["correction"].replace("\r\n", "\n").strip()
            settled[row["item_id"]] = replace(text, text=text.text[:start] + correction + text.text[end:])
    reviews = []
    for (component, language), of_component in judged.items():
        names = [item_id(text) for text in texts_of(COMPONENTS[component], language)]
        speakers = min(int(row["review_judgements"] or 0) for row in of_component)
        if language != ENGLISH and speakers >= SPEAKERS and settled.keys() >= set(names):
            named = {name.strip() for row in of_component for name in (row.get("names") or "").split(";")}
            after = digest(settled[name] for name in names)
            reviews.append(Review(component, language, after, speakers, date, tuple(sorted(named - {""}))))
    corrected = tuple(
        {
            "file": str(file_of(text.file)),
            "key": "/".join(text.path),
            "text": texts[name].text,
            "correction": text.text,
        }
        for name, text in settled.items()
        if text != texts[name]
    )
    return Corrections(corrected, tuple(reviews), tuple(left))


def _problem(row: Mapping[str, str], text: Text | None) -> str:
    """Why an item is not used; empty where it is."""
    if text is None:
        return "there is no such text any more"
    if text.text.strip() != row["text"].strip():
        return "the text has changed since; make new items"
    if row["review_state"] not in (NATURAL, CORRECTED):
        return row["review_state"] or "not judged"
    if row["review_state"] == CORRECTED and not row["correction"].strip():
        return "the corrected text is empty"
    return ""


def entry_of(review: Review) -> str:
    """A review as a table for `reviews.toml`; JSON writes strings and lists of strings as TOML does."""
    cells = {name: value for name, value in asdict(review).items() if value != ()}
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in cells.items()]
    return "\n".join(["", "[[review]]", *lines, ""])
