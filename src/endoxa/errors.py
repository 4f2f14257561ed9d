"""The one exception that a user is meant to read."""


class UserError(Exception):
    """A problem its reader can mend: one sentence that says what was found, where, and what to do.

    The command line prints the sentence and exits with code 2; no traceback is shown.
    """
