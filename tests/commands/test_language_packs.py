"""`ENDOXA_PACK`, and `endoxa languages check|check|init`: a language unknown to endoxa, end to end."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.words.packs import using
from support.repository import ROOT

CLI = CliRunner()
WOLOF = ROOT / "examples/packs/wo"
STATEMENTS = (
    "Waa Senegaal dañu tabe",
    "Góor ñi dañu dëgër",
    "Mag ñi dañu am xel",
    "Ndaw ñi duñu sawar",
)


def endoxa(*words, code=0, pack=None):
    with using([pack] if pack else []):
        done = CLI.invoke(app, list(map(str, words)))
    assert done.exit_code == code, (done.output, done.exception)
    return done.output


def refused(*words, pack=None):
    with using([pack] if pack else []):
        problem = CLI.invoke(app, list(map(str, words))).exception
    assert isinstance(problem, UserError)
    return str(problem)


@pytest.mark.slow
def test_four_wolof_statements_from_survey_to_probe(tmp_path, tiny):
    names = ("survey", "statements", "associations", "pairs")
    survey, statements, associations, pairs = (tmp_path / f"{name}.csv" for name in names)
    pl.DataFrame({"statement": STATEMENTS, "topic": ["people"] * 4}).write_csv(survey)
    reading = ("--statement-column", "statement", "--question-column", "topic")
    endoxa("curate", "extract", survey, *reading, "--language", "wo", "-o", statements, pack=WOLOF)
    assert pl.read_csv(statements)["attribute"].to_list() == ["tabe", "dëgër", "am xel", "duñu sawar"]
    endoxa("curate", "associations", statements, "-o", associations, pack=WOLOF)
    assert "No template for the language 'wo'" in refused(
        "build", "pairs", associations, "--language", "wo", "-o", pairs
    )
    endoxa("build", "pairs", associations, "--language", "wo", "-o", pairs, pack=WOLOF)
    sentences = dict(pl.read_csv(pairs).select("sent_more", "sent_less").iter_rows())
    assert len(sentences) == 4
    assert sentences["Waa Senegaal dañu tabe."] == "Waa Senegaal dañu nay."  # opposites.csv
    assert sentences["Góor ñi dañu dëgër."] == "Góor ñi duñu dëgër."
    assert sentences["Ndaw ñi duñu sawar."] == "Ndaw ñi dañu sawar."
    probe = ("probe", "pairs", "--data", pairs, "--model", f"hf/{tiny['causal']}", "-o", tmp_path / "run")
    endoxa(*probe, pack=WOLOF)
    facts = json.loads((tmp_path / "run/run.json").read_text(encoding="utf-8"))
    assert [(fact["code"], fact["path"]) for fact in facts["packs"]] == [("wo", str(WOLOF))]
    records = pl.read_parquet(tmp_path / "run/records.parquet")
    assert records["neutral_difference"].is_not_null().all()  # calibrated by the pack's neutral.toml
    assert "language packs was" in refused(*probe)
    other = shutil.copytree(WOLOF, tmp_path / "other")
    (other / "neutral.toml").write_text('any = ["nit ñi"]', encoding="utf-8")
    assert "language packs was" in refused(*probe, pack=other)
    assert "was complete already" in endoxa(*probe, pack=WOLOF)


@pytest.mark.slow
def test_the_variable_names_packs_for_other_processes():
    code = "from endoxa.words.packs import languages_with; print('wo' in languages_with('pairs.toml'))"
    environment = {**os.environ, "ENDOXA_PACK": str(WOLOF)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == "True", done.stderr


@pytest.mark.slow
def test_check_plays_cases_through_and_fails_where_one_is_wrong(tmp_path):
    assert "extract 17 of 17, pairs 15 of 15, back 14 of 14; 0 faults" in endoxa("languages", "check", WOLOF)
    pack = shutil.copytree(WOLOF, tmp_path / "wo")
    cases = (pack / "cases.csv").read_text(encoding="utf-8")
    (pack / "cases.csv").write_text(cases.replace("duñu dëgër", "dëgëruñu"), encoding="utf-8")
    shown = endoxa("languages", "check", pack, "-o", tmp_path / "results.csv", code=1)
    assert "cases.csv, row 3 (copula, adjective), pairs: Góor ñi dañu dëgër" in shown
    assert "expected  Góor ñi dañu dëgër. | Góor ñi dëgëruñu." in shown
    results = pl.read_csv(tmp_path / "results.csv")
    assert results.filter(~pl.col("right")).select("row", "joint").rows() == [(3, "pairs")]
    (pack / "pairs.toml").write_text("said = 1", encoding="utf-8")
    assert "pairs.toml: 'denied' is missing" in refused("languages", "check", pack)


@pytest.mark.slow
def test_init_makes_a_pack_that_check_takes(tmp_path):
    assert "Next: read" in endoxa("languages", "init", "bm", "-o", tmp_path / "bm")
    shown = endoxa("languages", "check", tmp_path / "bm")
    assert "bm, pairs: none; missing: pairs.toml" in shown
    assert "0 cases and 20 blank" in shown
    assert "nothing is overwritten" in refused("languages", "init", "bm", "-o", tmp_path / "bm")
