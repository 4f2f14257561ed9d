"""The exception for errors caused by a user's input or environment."""


class UserError(Exception):
    """Any user error; the message states what was found, where, what was expected and what to do.

    The command line prints the message and exits with code 2, without a traceback.
    """


def first_line(problem: BaseException) -> str:
    """The first line of what a library says went wrong, or the kind of its error where it says nothing."""
    lines = str(problem).strip().splitlines()
    return lines[0] if lines else type(problem).__name__


def installation(extras: str) -> str:
    """How to install optional parts, for messages: there is no release, so from a copy of the repository.

    At the release this becomes `pip install "endoxa-toolkit[EXTRAS]"`, as docs/install.md does.

    Args:
        extras: their names with commas, as in pyproject.toml.
    """
    return f'pip install -c constraints.txt -e ".[{extras}]" in a copy of the repository'
