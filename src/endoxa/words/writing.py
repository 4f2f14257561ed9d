"""Changing one text of a file in place: comments, order and spacing of everything else stay.

The text is looked for as the format writes it. Each place is tried, the file is read again, and the change is kept only
where this text, and nothing else, has become the new one. So no format needs a writer of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from endoxa.errors import UserError
from endoxa.words.components import Parts, leaves, parsed


def replaced(name: str, content: str, path: Parts, new: str) -> str:
    """The content of a file with another text in one place.

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
        if _reads_as(name, candidate, wanted):
            return candidate
    raise UserError(
        f"{name}: the text '{'/'.join(path)}' cannot be replaced automatically. Edit the file by hand."
    )


def _reads_as(name: str, content: str, wanted: dict[Parts, object]) -> bool:
    try:
        return dict(leaves(parsed(name, content))) == wanted
    except Exception:  # each parser has errors of its own, and all mean: not here
        return False


def _candidates(name: str, content: str, old: str, new: str) -> Iterator[str]:
    """The file with the new text in each place where the old one may stand, in each way of writing both."""
    ways = list(dict.fromkeys(_written(name, new)))
    for pattern in dict.fromkeys(_looked_for(name, old)):
        for match in re.finditer(pattern, content):
            for written in ways:
                yield content[: match.start()] + written + content[match.end() :]


def _looked_for(name: str, old: str) -> Iterator[str]:
    """Patterns of the old text, whole first: between quotation marks, then without."""
    if name.endswith(".csv"):
        yield re.escape('"' + old.replace('"', '""') + '"')
    for text in (_escaped(old), old):
        body = re.escape(text)
        if name.endswith((".yaml", ".yml")):
            # A long text may be broken between words.
            body = r"\s+".join(map(re.escape, text.split()))
        yield f'(?<="){body}(?=")'
        yield f"(?<='){body}(?=')"
        yield rf"(?<!\w){body}(?!\w)"
        yield body
        # With its quotation marks, where the new text needs others.
        yield from (f"{mark}{body}{mark}" for mark in ("'''", "'", '"'))


def _written(name: str, new: str) -> Iterator[str]:
    """Ways to write the new text."""
    yield new
    yield _escaped(new)
    if name.endswith(".csv"):
        yield '"' + new.replace('"', '""') + '"'
    else:
        yield f'"{_escaped(new)}"'


def _escaped(text: str) -> str:
    """As between quotation marks in TOML, YAML and catalogues."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
