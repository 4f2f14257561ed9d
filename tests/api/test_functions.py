"""Commands from Python: one declaration for the terminal, the generic function and the named one."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner

import endoxa as ex
from endoxa.api import functions
from endoxa.commands import app
from endoxa.errors import UserError

STATEMENTS = pl.DataFrame(
    {
        "respondent": ["1", "2", "3", "3"],
        "identity": ["bakers", "bakers", "drivers", "bakers"],
        "attribute": ["patient", "patient", "careful", "loud"],
    }
)


def test_what_editors_see_is_what_there_is() -> None:
    """`make docs` writes the file anew."""
    written = Path(functions.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    assert "".join(functions.stub()) == written


def test_a_command_gives_the_same_table_through_every_door(tmp_path: Path) -> None:
    STATEMENTS.write_csv(tmp_path / "statements.csv")
    words = ["curate", "associations", str(tmp_path / "statements.csv"), "--min-support", "2", "-o"]
    printed = CliRunner().invoke(app, [*words, str(tmp_path / "typed.csv")], catch_exceptions=False)
    by_words = ex.command(
        "curate associations", tmp_path / "statements.csv", out=tmp_path / "words.csv", min_support=2
    )
    by_name = ex.curate_associations(STATEMENTS, out=tmp_path / "name.csv", min_support=2)
    typed = pl.read_csv(tmp_path / "typed.csv")
    assert typed.select("identity", "attribute", "support").rows() == [("bakers", "patient", 2)]
    for outcome, file in ((by_words, "words.csv"), (by_name, "name.csv")):
        assert_frame_equal(pl.read_csv(tmp_path / file), typed)
        assert outcome.tables["out"].height == 1
        sentences = printed.stdout.partition("\nNext: ")[0]  # the hint is of the command line alone
        assert str(outcome) == sentences.replace("typed.csv", file)


def test_options_are_held_to_what_is_declared(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"no command 'curate gruop'. Did you mean 'curate group'"):
        ex.command("curate gruop")
    with pytest.raises(TypeError, match=r"no option 'min_suport'. Did you mean 'min_support'"):
        ex.curate_associations(STATEMENTS, out=tmp_path / "a.csv", min_suport=2)
    with pytest.raises(UserError, match=r"^--tau: .* \(found: 1.5\)"):
        ex.curate_group(STATEMENTS, out=tmp_path / "a.csv", tau=1.5)
    STATEMENTS.write_csv(tmp_path / "a.csv")
    with pytest.raises(UserError, match=r"name another file for the output"):
        ex.curate_associations(tmp_path / "a.csv", out=tmp_path / "a.csv")


def test_two_frames_are_two_files(tmp_path: Path) -> None:
    first = pl.DataFrame({"item": ["1", "2", "3"], "rater": "ana", "vote": ["x", "y", "x"]})
    second = first.with_columns(rater=pl.lit("ben"))
    compared = ex.analyze_agreement([first, second], out=tmp_path / "agreement.csv")
    assert "2 raters" in str(compared)
