"""The commands of `endoxa author` from a table to pairs and a page; what is said when something is missing."""

from __future__ import annotations

import re

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError


def run(*words):
    return CliRunner(env={"COLUMNS": "80"}).invoke(app, [str(word) for word in words])


@pytest.fixture
def identities(tmp_path):
    path = tmp_path / "identities.csv"
    path.write_text("identity,axis\nfarmers,profession\nbakers,profession\n")
    return path


def test_from_groups_to_pairs_that_people_approved(identities, tmp_path):
    out = tmp_path / "tuples.csv"
    told = run("author", "tuples", identities, "--model", "sim/author-faultless", "-o", out)
    assert told.exit_code == 0, told.output
    assert "20 drafts written to" in told.stdout
    refused = run("build", "pairs", out, "-o", tmp_path / "pairs.csv")
    assert isinstance(refused.exception, UserError)
    names = pl.read_csv(out)["draft_id"].to_list()
    sheet = tmp_path / "sheet.csv"
    pl.DataFrame({"draft_id": names[:4], "approved": ["yes", "yes", "no", "yes"]}).write_csv(sheet)
    judged = tmp_path / "judged.csv"
    assert "16 draft, 3 approved, 1 rejected" in run("curate", "review", out, sheet, "-o", judged).stdout
    run("build", "pairs", judged, "-o", tmp_path / "pairs.csv")
    assert pl.read_csv(tmp_path / "pairs.csv")["association_id"].n_unique() <= 3
    pairs = pl.read_csv(tmp_path / "pairs.csv")
    assert set(pairs["source"]) == {"draft by sim/author-faultless"}
    assert set(pairs["association_id"]) <= set(names)
    page = tmp_path / "drafts.html"
    assert run("report", judged, "-o", page).exit_code == 0
    text = re.sub(r"\s+", " ", page.read_text())
    assert (
        "People have judged 4 of 20 drafts: 3 approved (75.0 % of the judged ones), 1 rejected."
        in text.replace("\u00a0", " ")
    )
    assert "sim/author-faultless: 20 of 20 rows asked for are drafts" in text


def test_runs_and_cards_say_where_items_come_from(identities, tmp_path):
    from endoxa.sources.tables import counted_sources

    path = tmp_path / "pairs.csv"
    path.write_text("sent_more,source\na,survey\nb,survey\nc,draft by x\nd,\n")
    assert counted_sources(path) == {"survey": 2, "draft by x": 1, "not said": 1}
    path.write_text("sent_more,source\n" + "".join(f"a,http://{k}\n" for k in range(30)))
    assert counted_sources(path) == {}
    assert counted_sources(identities) == {}
