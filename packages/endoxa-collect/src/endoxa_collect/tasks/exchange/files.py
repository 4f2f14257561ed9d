"""Files of other tools: written from a table of items, and read back into the tables of an export."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.sources.files import require_file
from endoxa_collect.tasks.adding import read_items, settings_from
from endoxa_collect.tasks.exchange import argilla, label_studio
from endoxa_collect.tasks.exchange.asked import judged_items, kind_of
from endoxa_collect.tasks.results import made_tables, write_tables
from endoxa_collect.tasks.rooms import room

LABEL_STUDIO, ARGILLA = "label-studio", "argilla"
TOOLS = (LABEL_STUDIO, ARGILLA)


def write_for(tool: str, kind: str, items: Path, output: Path) -> list[Path]:
    """Write items for another tool, and beside them how it is to ask; returns the files.

    Raises:
        UserError: unknown tool or kind, items that cannot be used, a file that cannot be written.
    """
    require_tool(tool)
    task_room = room(kind)
    kind_of(task_room)
    rows = [(item.key, item.content) for item in read_items(task_room, settings_from(task_room, {}), items)]
    if tool == LABEL_STUDIO:
        beside = output.with_suffix(".xml")
        texts = {
            output: _json(label_studio.tasks(task_room, rows)),
            beside: label_studio.configuration(task_room),
        }
    else:
        beside = output.with_name(f"{output.stem}_settings.json")
        texts = {output: _json(argilla.records(task_room, rows)), beside: _json(argilla.settings(task_room))}
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as problem:
            raise UserError(f"'{path}' cannot be written: {problem.strerror or problem}.") from problem
    return list(texts)


def read_from(
    tool: str,
    kind: str,
    items: Path,
    results: Path,
    output: Path,
    *,
    options: Mapping[str, Any],
    skip_invalid: bool = False,
) -> tuple[list[Path], list[str]]:
    """Read results of another tool, and write the tables of `endoxa collect task export`.

    Returns:
        the files, and a sentence for every answer that is not valid.

    Raises:
        UserError: see `write_for`; results that cannot be read; answers that are not valid, unless they are skipped.
    """
    require_tool(tool)
    task_room = room(kind)
    kind_of(task_room)
    settings = settings_from(task_room, options)
    rows = [(item.key, item.content, item.hidden) for item in read_items(task_room, settings, items)]
    module = label_studio if tool == LABEL_STUDIO else argilla
    judged, faults = judged_items(task_room, rows, module.returned(_read(results)))
    if faults and not skip_invalid:
        raise UserError(
            f"{results}, {faults[0]} Correct it there, or leave such answers out with --skip-invalid."
        )
    return write_tables(made_tables(task_room, settings, judged), output), faults


def require_tool(tool: str) -> None:
    """Raise UserError where the tool is not one of `TOOLS`."""
    if tool not in TOOLS:
        raise UserError(f"Unknown tool '{tool}'. Expected one of: {', '.join(TOOLS)}.")


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _read(path: Path) -> object:
    require_file(path)
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise UserError(f"{path} is not JSON: {problem}.") from problem
