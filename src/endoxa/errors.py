"""The exception for errors caused by a user's input or environment."""


class UserError(Exception):
    """Any user error; the message states what was found, where, what was expected and what to do.

    The command line prints the message and exits with code 2, without a traceback.
    """
