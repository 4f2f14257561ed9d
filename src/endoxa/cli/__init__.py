"""The command line: reads words, calls one function, prints. No room does its work here."""

from __future__ import annotations

import logging
import signal
import sys
from typing import NoReturn

import typer

from endoxa.cli import analyze, build, collect, curate, datasets, demo, export, probe, report
from endoxa.errors import UserError

INTERRUPTED = 130
"""What typer returns for Ctrl-C."""

_CONTINUES = "What was done is kept: the same command continues."
"""For `probe` and `collect simulate`, which write down what is done."""

_STARTS_OVER = "It was not finished: run the same command again."

app = typer.Typer(
    name="endoxa",
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help=(
        "Culturally grounded stereotype measurement: from what people say to a result that survives a referee.\n\n"
        "The road: curate -> build -> probe -> analyze -> report. Start with: endoxa demo"
    ),
)
app.command()(demo.demo)
app.add_typer(datasets.app, name="datasets")
app.add_typer(curate.app, name="curate")
app.add_typer(build.app, name="build")
app.add_typer(probe.app, name="probe")
app.add_typer(analyze.app, name="analyze")
app.command("report")(report.report)
app.add_typer(export.app, name="export")
app.add_typer(collect.app, name="collect")


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
    """Run the command line; what a user can mend ends as one sentence on stderr and exit code 2."""
    # A terminated run stops like an interrupted one.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    logging.basicConfig(format="endoxa: %(message)s", level=logging.WARNING)
    try:
        code = app(prog_name="endoxa", standalone_mode=False)
    except UserError as problem:
        _stop(str(problem))
    except KeyboardInterrupt:
        code = INTERRUPTED
    except typer.TyperException as problem:
        # A word of the command line that is wrong: typer shows its own usage line.
        problem.show()  # type: ignore[attr-defined]
        sys.exit(problem.exit_code)
    if code == INTERRUPTED:
        continues = sys.argv[1:2] == ["probe"] or sys.argv[1:3] == ["collect", "simulate"]
        _stop(f"Interrupted. {_CONTINUES if continues else _STARTS_OVER}")
    sys.exit(code)


def _stop(sentence: str) -> NoReturn:
    typer.echo(f"endoxa: {sentence}", err=True)
    sys.exit(2)
