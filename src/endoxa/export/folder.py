"""Exported folders: texts from the templates beside this module, and the whole made as one step or not at all."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from endoxa.errors import UserError
from endoxa.sources.files import CHECKSUMS, changed_file, checksums, draft_of, put_in_place, tidy

PROVENANCE = "endoxa.json"


@contextmanager
def new_folder(target: Path, provenance: Mapping[str, Any], *, overwrite: bool) -> Iterator[Path]:
    """A draft folder that becomes `target` when the block ends without an exception.

    `endoxa.json` (the `provenance`) and `SHA256SUMS` are added at the end. A folder that is replaced is put
    aside until the new one stands.

    Args:
        target: where the folder will be; missing parents are made.
        provenance: what the folder was made from and how; must not hold times, so that a repeat is equal.
        overwrite: replace a folder that an export made and nobody has touched since.

    Raises:
        UserError: `target` is in the way and may not be replaced, or the place cannot be written.
    """
    place = target.resolve()
    draft = draft_of(place)
    try:
        tidy(place)
        require_free(target, overwrite=overwrite)
        place.parent.mkdir(parents=True, exist_ok=True)
        draft.mkdir()
        yield draft
        path = draft / PROVENANCE
        path.write_text(json.dumps(provenance, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        (draft / CHECKSUMS).write_text(checksums(draft), encoding="utf-8")
        put_in_place(draft, place)
    except OSError as problem:
        raise UserError(f"The folder {target} cannot be written: {problem.strerror or problem}.") from problem
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def require_free(target: Path, *, overwrite: bool) -> None:
    """Refuse a place where something would be lost.

    Raises:
        UserError: `target` is a file, or a folder with something in it; with `overwrite`, a folder that no
            export made or in which something was added, changed or taken away since.
    """
    if not target.exists():
        return
    if not target.is_dir():
        raise UserError(f"{target} is a file. Name an empty or new folder.")
    if not any(target.iterdir()):
        return
    if not (target / PROVENANCE).is_file() or not (target / CHECKSUMS).is_file():
        raise UserError(f"The folder {target} contains other files. Name an empty or new folder.")
    if not overwrite:
        raise UserError(f"The folder {target} contains an earlier export. Pass --overwrite to replace it.")
    touched = changed_file(target)
    if touched:
        raise UserError(
            f"The folder {target} was edited after the export ({touched}). Move it, so that nothing is lost."
        )


_NO_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that JSON takes as they are and YAML does not, or takes as the end of a line."""


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("endoxa.export"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (Markdown, YAML and plain text)
    )
    environment.filters["cell"] = _cell
    environment.filters["yaml"] = _yaml
    return environment


def render(template: str, **values: Any) -> str:
    """The text of `templates/TEMPLATE.j2` with its values put in; a value that is missing is an error."""
    return _environment().get_template(f"{template}.j2").render(**values)


def _cell(text: object) -> str:
    """Text for a cell of a Markdown table: on one line, its bars escaped."""
    return " ".join(str(text).split()).replace("|", r"\|")


def _yaml(value: object) -> str:
    """A value in YAML, on one line (JSON is YAML; quoted, so that the language "no" stays a word)."""
    return _NO_YAML.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))
