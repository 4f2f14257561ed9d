"""Steps of a study by verb: any command and any instrument, once, inside the folder, as far as the command allows."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import endoxa as ex
from endoxa import registry
from endoxa.commands import app
from endoxa.commands.plugins import verb_named
from endoxa.errors import UserError
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.options import Allowed
from endoxa.study.file import read_study

STATEMENTS = """\
respondent,identity,attribute
r1,women,kind
r2,women,kind
r3,men,loud
"""
STEPS = """\
[[steps]]
verb = "curate associations"
statements = "statements.csv"
out = "made/associations.csv"

[[steps]]
verb = "build pairs"
associations = "made/associations.csv"
language = "en"
out = "made/pairs.csv"

[[steps]]
verb = "probe letters"
name = "letters"
data = "made/pairs.csv"
models = ["toy/a"]
"""


@pytest.fixture
def toys(monkeypatch):
    """The toy instrument, as if a package with its entry point were installed."""
    points = [
        EntryPoint("letters", "endoxa.testing.toy:LETTERS", "endoxa.instruments"),
        *registry.entry_points(group="endoxa.instruments"),
    ]
    monkeypatch.setattr(INSTRUMENTS, "_things", None)
    real = registry.entry_points
    monkeypatch.setattr(
        registry, "entry_points", lambda group: points if group == "endoxa.instruments" else real(group=group)
    )


@pytest.fixture
def folder(tmp_path: Path, toys) -> Path:
    (tmp_path / "statements.csv").write_text(STATEMENTS, encoding="utf-8")
    (tmp_path / "study.toml").write_text(STEPS, encoding="utf-8")
    return tmp_path


def edit(folder: Path, old: str, new: str) -> None:
    path = folder / "study.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def run(folder: Path) -> dict[str, str]:
    """What was done by step, as the terminal shows it."""
    done = CliRunner(env={"COLUMNS": "300"}).invoke(app, ["study", "run", str(folder)])
    assert done.exit_code == 0, (done.output, done.exception)
    names = ("curate-associations", "build-pairs", "letters")
    lines = [line.split() for line in done.stdout.splitlines() if line.strip().startswith(names)]
    return {words[0]: " ".join(words[2:]) for words in lines if not words[0].endswith(":")}


def test_each_step_is_carried_out_once_and_again_where_it_has_to_be(folder):
    first = run(folder)
    assert first["curate-associations"] == first["build-pairs"] == "done"
    assert first["letters"].endswith("done")
    assert pl.read_csv(folder / "made" / "associations.csv")["support"].sum() == 3
    lines = (folder / "made" / "pairs.csv").read_text(encoding="utf-8").splitlines()
    counts = pl.read_parquet(folder / "runs" / "letters" / "records.parquet")
    assert counts["n"].to_list() == [line.lower().count("a") for line in lines]
    assert all(what.endswith("was complete") for what in run(folder).values())
    edit(folder, 'out = "made/associations.csv"', 'min_support = 2\nout = "made/associations.csv"')
    third = run(folder)  # the pairs are others now, and so are the lines of the toy
    assert third["curate-associations"] == third["build-pairs"] == "done"
    assert third["letters"].endswith("begun anew")
    (folder / "made" / "pairs.csv").unlink()
    fourth = run(folder)
    assert fourth["curate-associations"] == "was complete"
    assert fourth["build-pairs"] == "done"
    assert fourth["letters"].endswith("was complete")


def test_python_carries_out_the_same_steps(folder):
    places = dict(ex.study_run(folder, progress=False).tables["runs"].select("name", "folder").rows())
    assert list(places) == ["curate-associations", "build-pairs", "letters"]
    pairs = ex.build_pairs(
        ex.curate_associations(folder / "statements.csv", out=folder / "a.csv").tables["out"],
        language="en",
        out=folder / "p.csv",
    ).tables["out"]
    assert pl.read_csv(places["build-pairs"])["sent_more"].to_list() == pairs["sent_more"].to_list()
    assert ex.read_run(places["letters"]).records.height == pairs.height + 1


def test_what_reads_a_run_follows_it(folder):
    edit(folder, STEPS, f'[[steps]]\nverb = "report"\nruns = "runs/letters"\nout = "letters.html"\n\n{STEPS}')
    first, last = read_study(folder, verb=verb_named).ordered()
    assert first == ()
    assert [step.name for step in last] == ["report", "curate-associations", "build-pairs", "letters"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'verb = "build pairs"',
            'verb = "build pears"',
            "step 2: There is no command 'build pears'. Did you mean",
        ),
        ('verb = "build pairs"', 'verb = "study run"', "cannot be a step of a study"),
        ('verb = "build pairs"', "", "step 2: the key 'verb' is missing"),
        ('language = "en"', "framing = 2", "There is no option 'framing'. Did you mean 'framings'"),
        ('language = "en"', "framings = 0", "framings: Input should be greater than or equal to 1"),
        ('language = "en"', 'name = "letters"', "the name 'letters' is taken"),
        ('out = "made/pairs.csv"', "", "out: Field required"),
        ('out = "made/pairs.csv"', 'out = "../pairs.csv"', "is not in the folder of the study"),
        (
            'statements = "statements.csv"',
            'statements = "/etc/hosts"',
            "asks to read /etc/hosts, which is not in",
        ),
        ("toy/a", "http://localhost:1/v1#x", ""),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_done(folder, old, new, message):
    edit(folder, old, new)
    if not message:
        assert read_study(folder, Allowed(models=(new,)), verb_named).steps
        return
    with pytest.raises(UserError, match=message):
        read_study(folder, verb=verb_named)
    assert not (folder / "made").exists()


def test_steps_alone_have_a_plan_and_no_page(folder, tmp_path):
    planned = CliRunner().invoke(app, ["study", "run", str(folder), "--plan"])
    assert "Step build-pairs: " in planned.output
    page = tmp_path / "page.html"
    assert CliRunner().invoke(app, ["study", "run", str(folder), "-o", str(page)]).exit_code == 0
    assert not page.exists()
