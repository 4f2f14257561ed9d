"""Optional libraries: a missing one is reported in one sentence, with the command that installs it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from endoxa.errors import UserError

LOCAL = ("torch", "transformers")
"""Libraries that weights in this process need."""
LOCAL_INSTALL = 'pip install "endoxa[local]" -c constraints.txt'


def require_libraries(what: str, names: Sequence[str], install: str) -> None:
    """Refuse work whose libraries are not installed; none of them is imported.

    Args:
        what: what needs them, as the subject of the message ("The model 'groq/x'").
        names: distributions whose module has the same name, with '_' for '-'.
        install: the command that installs them.

    Raises:
        UserError: one of them is missing.
    """
    missing = [name for name in names if find_spec(name.replace("-", "_")) is None]
    if missing:
        raise UserError(f"{what} needs {' and '.join(missing)}: {install}")


def require_local(text: str) -> None:
    """Refuse local weights, the model as written, where torch or transformers is not installed.

    Raises:
        UserError: with the command that installs them.
    """
    require_libraries(f"The model '{text}'", LOCAL, LOCAL_INSTALL)
