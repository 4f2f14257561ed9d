"""Commands of other packages: loaded when they are asked for; without the campaign site, what to install."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest
import typer
from typer.testing import CliRunner

from endoxa.commands import app, plugins

others = typer.Typer(help="Count what others said.")


@others.command()
def count() -> None:
    """Count."""
    typer.echo("3")


@others.callback()
def _group() -> None:
    pass


@pytest.mark.parametrize("words", [[], ["init", "camp", "--preset", "laces"], ["export", "--help"]])
def test_without_the_site_every_use_says_what_to_install(monkeypatch, endoxa, words):
    monkeypatch.setattr(plugins, "_points", dict)
    shown = endoxa("collect", *words)
    said = "endoxa: The campaign site is not installed. Install the package endoxa-collect;"
    assert (shown.returncode, shown.stderr.startswith(said)) == (2, True)


def test_a_package_brings_a_group_of_commands(monkeypatch):
    point = EntryPoint("others", f"{__name__}:others", plugins.GROUP)
    monkeypatch.setattr(EntryPoint, "load", lambda self: others)
    monkeypatch.setattr(plugins, "_points", lambda: {"others": point})
    assert "Count what others said." in CliRunner().invoke(app, ["--help"]).output
    assert CliRunner().invoke(app, ["others", "count"]).output == "3\n"
