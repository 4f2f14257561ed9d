"""The exception for errors caused by a user's input or environment."""


class UserError(Exception):
    """Any user error; the message states what was found, where, what was expected and what to do.

    The command line prints the message and exits with code 2, without a traceback.
    """


def first_line(problem: BaseException) -> str:
    """The first line of what a library says went wrong, or the kind of its error where it says nothing."""
    lines = str(problem).strip().splitlines()
    return lines[0] if lines else type(problem).__name__
