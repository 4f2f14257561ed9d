"""The command line: parses arguments, calls one library function and prints the result."""

from __future__ import annotations

import logging
import sys
import traceback

import typer

from endoxa.commands.plugins import Root
from endoxa.commands.stopping import EXIT_CODE, Farewell, stoppable
from endoxa.errors import UserError
from endoxa.schema.terminal import escaped_streams
from endoxa.schema.typed import typed_words

INTERRUPTED = 130
"""Exit code that typer returns for Ctrl-C."""

_CONTINUES = "Finished work is kept. Run the same command again to continue."
"""For `probe`, `author`, `demo`, `reproduce` and `_WITH_JOURNAL`, which keep a journal."""
_WITH_JOURNAL = (["study", "run"],)

_STARTS_OVER = "Nothing was finished. Run the same command again."

app = typer.Typer(
    name="endoxa",
    cls=Root,
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"color": True},  # typer would strip escape sequences from texts; we show them escaped
    help=(
        "Measure stereotypes in language models, from survey answers to reported results.\n\n"
        "Steps: collect -> curate -> build -> probe -> analyze -> report. Start with: endoxa demo"
    ),
)


@app.callback(invoke_without_command=True)
def _root(*, version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    if version:
        import endoxa

        typer.echo(endoxa.__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line; a `UserError` is printed to stderr as one sentence, with exit code 2."""
    continues = (
        sys.argv[1:2] in (["probe"], ["author"], ["demo"], ["reproduce"]) or sys.argv[1:3] in _WITH_JOURNAL
    )
    farewell = Farewell(f"Interrupted. {_CONTINUES if continues else _STARTS_OVER}")
    with escaped_streams(), stoppable(farewell):
        logging.basicConfig(format="endoxa: %(message)s", level=logging.WARNING)
        sys.exit(_exit_code(farewell))


def _exit_code(farewell: Farewell) -> int:
    """Run the command; what went wrong is printed."""
    try:
        with typed_words(sys.argv[1:]):
            code = app(prog_name="endoxa", standalone_mode=False)
    except UserError as problem:
        typer.echo(f"endoxa: {problem}", err=True, color=True)
        return EXIT_CODE
    except KeyboardInterrupt:
        code = INTERRUPTED
    except typer.TyperException as problem:
        # An invalid option or argument: typer prints its own usage line.
        problem.show()  # type: ignore[attr-defined]
        return int(problem.exit_code)
    except Exception:
        traceback.print_exc()  # here, where other people's text in it is escaped
        return 1
    if code == INTERRUPTED:
        farewell.say()
        return EXIT_CODE
    return int(code or 0)
