"""The command line: parses arguments, calls one library function and prints the result."""

from __future__ import annotations

import logging
import signal
import sys
from typing import NoReturn

import typer

from endoxa.cli import (
    analyze,
    author,
    build,
    collect,
    curate,
    datasets,
    demo,
    export,
    gate,
    languages,
    probe,
    report,
    reproduce,
    study,
)
from endoxa.cli.settings_command import GroupedCommand, Groups, add_command
from endoxa.errors import UserError
from endoxa.schema.typed import typed_words

INTERRUPTED = 130
"""Exit code that typer returns for Ctrl-C."""

_CONTINUES = "Finished work is kept. Run the same command again to continue."
"""For `probe`, `author`, `study run` and `collect simulate`, which keep a journal."""

_STARTS_OVER = "Nothing was finished. Run the same command again."

app = typer.Typer(
    name="endoxa",
    cls=Groups,
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help=(
        "Measure stereotypes in language models, from survey answers to reported results.\n\n"
        "Steps: collect -> curate -> build -> probe -> analyze -> report. Start with: endoxa demo"
    ),
)
app.command(cls=GroupedCommand)(demo.demo)
app.add_typer(datasets.app, name="datasets")
app.add_typer(curate.app, name="curate")
app.add_typer(author.app, name="author")
app.add_typer(build.app, name="build")
app.add_typer(probe.app, name="probe")
app.add_typer(analyze.app, name="analyze")
add_command(app, report.report)
app.add_typer(study.app, name="study")
app.add_typer(reproduce.app, name="reproduce")
add_command(app, gate.gate)
app.add_typer(export.app, name="export")
app.add_typer(collect.app, name="collect")
app.add_typer(languages.app, name="languages")


@app.callback(invoke_without_command=True)
def _root(
    *,
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    if version:
        import endoxa

        typer.echo(endoxa.__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line; a `UserError` is printed to stderr as one sentence, with exit code 2."""
    # A terminated run stops like an interrupted one.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    logging.basicConfig(format="endoxa: %(message)s", level=logging.WARNING)
    try:
        with typed_words(sys.argv[1:]):
            code = app(prog_name="endoxa", standalone_mode=False)
    except UserError as problem:
        _stop(str(problem))
    except KeyboardInterrupt:
        code = INTERRUPTED
    except typer.TyperException as problem:
        # An invalid option or argument: typer prints its own usage line.
        problem.show()  # type: ignore[attr-defined]
        sys.exit(problem.exit_code)
    if code == INTERRUPTED:
        continues = sys.argv[1:2] in (["probe"], ["author"]) or sys.argv[1:3] in (
            ["collect", "simulate"],
            ["study", "run"],
        )
        _stop(f"Interrupted. {_CONTINUES if continues else _STARTS_OVER}")
    sys.exit(code)


def _stop(sentence: str) -> NoReturn:
    typer.echo(f"endoxa: {sentence}", err=True)
    sys.exit(2)
