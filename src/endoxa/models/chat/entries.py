"""Tables of data with entries by name: one that comes with endoxa, and a file of the user's own."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from endoxa.errors import UserError

Entry = TypeVar("Entry", bound=BaseModel)


def entries(
    table: str, variable: str, kind: str, model: type[Entry], environment: Mapping[str, str] = os.environ
) -> dict[str, Entry]:
    """Every entry by name: ours, then the user's, who may replace ours.

    Args:
        table: name of our TOML file in this package.
        variable: environment variable that names the user's TOML file.
        kind: what an entry is, for messages ("provider").
        model: the fields of an entry.
        environment: where the variable is looked up.

    Raises:
        UserError: the user's file cannot be read, or an entry has a wrong or unknown field.
    """
    text = files("endoxa.models.chat").joinpath(table).read_text(encoding="utf-8")
    by_name = {name: model.model_validate(entry) for name, entry in tomllib.loads(text).items()}
    if path := environment.get(variable):
        by_name |= _user_entries(Path(path), variable, kind, model)
    return by_name


def _user_entries(path: Path, variable: str, kind: str, model: type[Entry]) -> dict[str, Entry]:
    try:
        written: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise UserError(f"The {kind}s of {variable}, {path}, cannot be read: {problem}.") from problem
    by_name = {}
    for name, entry in written.items():
        try:
            by_name[name] = model.model_validate(entry)
        except ValidationError as problem:
            first = problem.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "entry"
            raise UserError(
                f"{path}: the {kind} [{name}] is not usable ({field}: {first['msg']}). It takes "
                f"{', '.join(model.model_fields)}."
            ) from None
    return by_name
