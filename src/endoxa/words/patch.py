"""From what speakers said to a patch of the language files, with the reviews that it completes."""

from __future__ import annotations

import difflib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from endoxa.errors import UserError
from endoxa.words.components import (
    COMPONENTS,
    ENGLISH,
    PACK,
    PACKAGE,
    SITE,
    SITE_PACKAGE,
    Parts,
    Text,
    file_of,
    leaves,
    parsed,
    texts_of,
)
from endoxa.words.items import item_id
from endoxa.words.state import Review, digest, reviews_of

SPEAKERS = 2
"""Speakers who must have judged every text of a component before it counts as reviewed."""
NATURAL, CORRECTED = "natural", "corrected"
REQUIRED = ("item_id", "text", "review_state", "correction", "review_judgements")
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
        if row["review_state"] == CORRECTED:
            content = files.get(text.file) or file_of(text.file, package).read_text(encoding="utf-8")
            # Forms take off the blanks and line breaks around a text.
            start, end = len(text.text) - len(text.text.lstrip()), len(text.text.rstrip())
            new = text.text[:start] + row["correction"].replace("\r\n", "\n").strip() + text.text[end:]
            try:
                files[text.file] = replaced(text.file, content, text.path, new)
            except UserError as fault:
                left.append((name, str(fault)))
                continue
            corrected[name] = new
        settled[name] = (text, row)
    reviews = _reviews(settled, corrected, date, package)
    for review in reviews:
        name = reviews_of(review.language, package)
        files[name] = (files.get(name) or _content(name, package)) + _entry(review)
    diff = "".join(_diff(name, content, package) for name, content in sorted(files.items()))
    return Patch(diff, len(corrected), tuple(reviews), tuple(left))


def _texts_by_item(rows: Sequence[Mapping[str, str]], package: Path) -> dict[str, Text]:
    """The texts of the components and languages that the items are of, by the names of their items.

    Raises:
        UserError: a component that there is none of.
    """
    texts: dict[str, Text] = {}
    for component, language in sorted({(*row["item_id"].split("/"), "")[:2] for row in rows}):
        if component not in COMPONENTS:
            raise UserError(
                f"The component '{component}' is unknown. Expected items of `endoxa languages check --sheet`, and the "
                "table of outcomes that `endoxa collect export --task` writes beside the judgements (NAME_items)."
            )
        texts |= {item_id(text): text for text in texts_of(COMPONENTS[component], language, package)}
    return texts


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
        speakers = min(int(row["review_judgements"] or 0) for row in rows)
        if language == ENGLISH or speakers < SPEAKERS or any(item_id(text) not in settled for text in texts):
            continue
        now = [replace(text, text=corrected.get(item_id(text), text.text)) for text in texts]
        names = {name.strip() for row in rows for name in (row.get("names") or "").split(";")} - {""}
        reviews.append(Review(component, language, digest(now), speakers, date, tuple(sorted(names))))
    return reviews


def _entry(review: Review) -> str:
    """A review as a table of TOML; JSON writes strings and lists of strings as TOML does."""
    cells = {name: value for name, value in asdict(review).items() if value != ()}
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in cells.items()]
    return "\n".join(["", "[[review]]", *lines, ""])


def _diff(name: str, content: str, package: Path) -> str:
    before = _content(name, package)
    path = SITE_PACKAGE + name.removeprefix(SITE) if name.startswith(SITE) else f"{ROOT}/{name}"
    if name.startswith(PACK):
        path = name.rsplit("/", 1)[-1]
    # Only line feeds end lines for `git apply`; str.splitlines knows more.
    old, new = ([f"{line}\n" for line in text.split("\n")[:-1]] for text in (before, content))
    return "".join(difflib.unified_diff(old, new, f"a/{path}" if before else "/dev/null", f"b/{path}"))


def _content(name: str, package: Path) -> str:
    """A file of words; empty where it is not there yet, as the reviews of a new pack."""
    path = file_of(name, package)
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def replaced(name: str, content: str, path: Parts, new: str) -> str:
    """The content of a file with another text in one place; comments, order and spacing of everything else stay.

    The text is looked for as the format writes it. Each place is tried, the file is read again, and the change is kept
    only where this text, and nothing else, has become the new one. So no format needs a writer of its own.

    Args:
        name: path of the file; its ending says the format.
        content: the file.
        path: keys that lead to the text, see `endoxa.words.components.leaves`.
        new: the new text.

    Raises:
        UserError: the text is not there, or cannot be changed without a change of something else.
    """
    before = dict(leaves(parsed(name, content)))
    old = before.get(path)
    if not isinstance(old, str):
        raise UserError(f"{name} has no text '{'/'.join(path)}'.")
    if old == new:
        return content
    wanted = {**before, path: new}
    for candidate in _candidates(name, content, old, new):
        try:
            if dict(leaves(parsed(name, candidate))) == wanted:
                return candidate
        except Exception:  # noqa: S112 - each parser has errors of its own, and all mean: not here
            continue
    raise UserError(
        f"{name}: the text '{'/'.join(path)}' cannot be replaced automatically. Edit the file by hand."
    )


def _candidates(name: str, content: str, old: str, new: str) -> Iterator[str]:
    """The file with the new text in each place where the old one may stand, in each way of writing both."""
    # As between quotation marks in TOML, YAML and catalogues.
    escaped = [json.dumps(text, ensure_ascii=False)[1:-1] for text in (old, new)]
    doubled = ['"' + text.replace('"', '""') + '"' for text in (old, new)]
    table = name.endswith(".csv")
    patterns = [re.escape(doubled[0])] if table else []
    for text in (escaped[0], old):
        # In YAML a long text may be broken between words.
        body = r"\s+".join(map(re.escape, text.split())) if name.endswith(".yaml") else re.escape(text)
        # Whole first: between quotation marks, then without; last with its marks, where the new text needs others.
        patterns += [f'(?<="){body}(?=")', f"(?<='){body}(?=')", rf"(?<!\w){body}(?!\w)", body]
        patterns += [f"{mark}{body}{mark}" for mark in ("'''", "'", '"')]
    ways = dict.fromkeys((new, escaped[1], doubled[1] if table else f'"{escaped[1]}"'))
    for pattern in dict.fromkeys(patterns):
        for match in re.finditer(pattern, content):
            for way in ways:
                yield content[: match.start()] + way + content[match.end() :]
