"""Names of columns that users give (`--columns OURS=THEIRS`): one rule for all items."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from endoxa.errors import UserError


def require_known_columns(named: Mapping[str, str], known: Collection[str], items: str) -> None:
    """Refuse an unknown name of a column.

    Args:
        named: our name of a column -> the file's.
        known: our names.
        items: what the columns are of ("pairs").

    Raises:
        UserError: a name is unknown.
    """
    unknown = [name for name in named if name not in known]
    if unknown:
        raise UserError(
            f"There is no column '{unknown[0]}' of {items} to be named. Write OURS=THEIRS with one of: "
            f"{', '.join(known)}."
        )
