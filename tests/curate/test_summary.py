"""The summary: counts that agree with the survey."""

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.curate.associations import mentions
from endoxa.curate.summary import ALL_AXES, choices, summarise
from endoxa.sources.frames import read_table, write_table


def survey(people, columns=("gender",)):
    """Mentions of a survey: for each respondent, the associations (axis, identity, attribute) and answers."""
    names = ("respondent", "axis", "identity", "attribute", *columns)
    rows = [(str(n), *key, *answers) for n, (said, answers) in enumerate(people) for key in said]
    return mentions(pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")).table


STRONG = ("profession", "bakers", "strong")
EARLY = ("profession", "bakers", "early risers")
PATIENT = ("age", "old people", "patient")


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("Hausa  * Idoma *", ("Hausa", "Idoma")),
        ("Female *", ("Female",)),
        ("a; b ;a", ("a", "b")),
        ("5*4", ("5*4",)),
        ("", ()),
        (None, ()),
    ],
)
def test_choices(cell, found):
    assert choices(cell) == found


def test_counts_are_those_of_the_survey():
    people = [([STRONG, STRONG, EARLY], ("f",))] * 9 + [([STRONG], ("m",))] * 6 + [([PATIENT], ("",))] * 5
    made = summarise(survey(people))
    rows = made["frequencies"].select("identity", "attribute", "respondents", "statements").rows()
    assert rows == [
        ("old people", "patient", 5, 5),
        ("bakers", "strong", 15, 24),
        ("bakers", "early risers", 9, 9),
    ]
    assert made["composition"].filter(axis=ALL_AXES).row(0) == (ALL_AXES, "", 20, 38, 2, 3)


def test_command_writes_tables_and_figure(tmp_path):
    people = [([STRONG, PATIENT], ("f", "Peru"))] * 6 + [([STRONG], ("m", "Chile"))] * 7
    table = survey(people, ("gender", "country")).select(pl.exclude("attribute"), attribute="said")
    write_table(table, tmp_path / "statements.csv")
    words = ["curate", "associations", str(tmp_path / "statements.csv"), "-o", str(tmp_path / "a.csv")]
    words += ["--summary", str(tmp_path / "out")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "frequencies.csv",
        "composition.csv",
        "frequencies.svg",
        "frequencies.png",
    }
    drawn = (tmp_path / "out" / "frequencies.svg").read_text(encoding="utf-8")
    assert "not facts" in drawn
    assert "bakers: strong" in drawn


@pytest.mark.slow
def test_command_leaves_out_what_a_chatbot_wrote(tmp_path):
    rows = [("bakers", "strong", str(n), "chatbot" if n > 6 else "") for n in range(9)]
    names = ("identity", "attribute", "respondent", "flag")
    write_table(pl.DataFrame(rows, schema=names, orient="row"), tmp_path / "statements.csv")
    words = ["curate", "associations", str(tmp_path / "statements.csv"), "-o", str(tmp_path / "a.csv")]
    words += ["--summary", str(tmp_path / "out")]
    for options, count in (([], "7"), (["--include-flagged"], "9")):
        result = CliRunner().invoke(app, [*words, *options])
        assert result.exit_code == 0, result.output
        assert ("2 statements left out: flagged" in result.stderr) == (not options)
        assert read_table(tmp_path / "out" / "frequencies.csv")["respondents"].to_list() == [count]
