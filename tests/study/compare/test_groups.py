"""Groups of models: planted differences, level, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_ind

import endoxa as ex
from endoxa.errors import UserError
from endoxa.study.compare.groups import Table, _change
from endoxa.study.gate.measures import PREFERENCE_RATIO
from support.gate_runs import pairs, write_run
from support.report_qa_samples import Lean, qa_folder, questions, records

ITEMS = pairs(30, 8, ("work", "age"))
N = len(ITEMS)


def models_run(folder, shares):
    """A run of pairs by several models, each with its share of stereotypical sentences preferred."""
    rng = np.random.default_rng(len(shares))
    tables = []
    for place, (model, share) in enumerate(shares.items()):
        sides = np.where(rng.random(N) < share, 1, -1)
        write_run(folder / "parts" / str(place), ITEMS, sides, model=model, seed=place)
        tables.append(pl.read_parquet(folder / "parts" / str(place) / "records.parquet"))
    write_run(folder / "run", ITEMS, np.ones(N))
    pl.concat(tables).write_parquet(folder / "run" / "records.parquet")
    return folder / "run"


def grouped(folder, groups):
    path = folder / "sizes.csv"
    rows = [f"{model},{group}" for group, models in groups.items() for model in models]
    path.write_text("\n".join(["model,group", *rows]) + "\n")
    return f"size={path}"


def test_a_planted_difference_of_groups_is_found(tmp_path):
    small, large = [f"hf/s{k}" for k in range(3)], [f"hf/l{k}" for k in range(4)]
    run = models_run(tmp_path, dict.fromkeys(small, 0.55) | dict.fromkeys(large, 0.75))
    found = ex.compare(run, group=grouped(tmp_path, {"small": small, "large": large}))
    (change,) = found.contrasts[0].changes
    table = pl.read_parquet(run / "records.parquet")
    sign = np.where(table["stereotypical"].to_numpy() == "more", 1, -1)
    table = table.with_columns(
        prefers=pl.Series(sign * (table["score_more"] - table["score_less"]).to_numpy() > 0)
    )
    means = [table.filter(pl.col("model").is_in(models))["prefers"].mean() for models in (small, large)]
    assert (change.before, change.after) == (pytest.approx(means[0]), pytest.approx(means[1]))
    assert (change.verdict, change.n_items) == ("above", N)
    assert found.sentence.startswith("large (4 models) raises the share of pairs")
    assert (
        "taken as they are, because groups have fewer than 6 (small: 3 and large: 4)"
        in found.contrasts[0].notes[0]
    )
    assert "hf/s0, hf/s1 and hf/s2" in found.save(tmp_path / "page.html").read_text()


def test_questions_of_groups_have_every_measure(tmp_path):
    leans = {f"sim/{k}": Lean(0.8, 0.9 if k < 2 else 0.3) for k in range(4)}
    asked = questions()
    run = qa_folder(tmp_path / "run", asked, records(asked, leans), "Town")
    groups = {"old": ["sim/0", "sim/1"], "new": ["sim/2", "sim/3"]}
    changes = {
        change.measure: change
        for change in ex.compare(run, group=grouped(tmp_path, groups)).contrasts[0].changes
    }
    assert changes["bias_ambig"].verdict == "below"
    assert changes["bias_ambig"].n_items == 96
    assert changes["answered"].difference == 0


@pytest.mark.parametrize(("models", "sampled"), [(6, True), (3, False)])
def test_level(models, sampled):
    rng = np.random.default_rng(models)
    first, second = np.repeat(np.arange(20), 8), np.tile(np.arange(8), 20)
    rows = [list(range(models)), list(range(models, 2 * models))]
    claims = []
    for _ in range(300):
        # Models differ among themselves; items have something in common.
        lean = rng.standard_normal(2 * models)[:, None] * (0.5 if sampled else 0.0)
        values = np.sign(lean + rng.standard_normal(160) + rng.standard_normal((2 * models, 160))) / 2
        table = Table(PREFERENCE_RATIO, "sum", values, first, second, 0, ("identities", "attributes"))
        claims.append(_change(table, *rows, 0.95, sampled=sampled).p_value <= 0.05)
    assert np.mean(claims) <= 0.08


def test_of_very_many_items_it_is_welchs_test_of_the_models():
    rng = np.random.default_rng(0)
    chances = rng.uniform(0.3, 0.7, 14)
    values = (rng.random((14, 40_000)) < chances[:, None]) - 0.5
    codes = np.arange(40_000)
    table = Table(PREFERENCE_RATIO, "sum", values, codes // 4, codes, 0, ("identities", "attributes"))
    found = _change(table, list(range(6)), list(range(6, 14)), 0.95, sampled=True)
    means = values.mean(axis=1)
    other = ttest_ind(means[6:], means[:6], equal_var=False)
    assert found.p_value == pytest.approx(other.pvalue, abs=0.01)
    ends = other.confidence_interval(0.95)
    assert (found.low, found.high) == (
        pytest.approx(ends.low, abs=0.005),
        pytest.approx(ends.high, abs=0.005),
    )


def test_what_is_no_grouping_is_refused(tmp_path):
    run = models_run(tmp_path, {"hf/a": 0.5, "hf/b": 0.6, "hf/c": 0.6})
    for groups, match in (
        ({"small": ["hf/a", "hf/b"]}, "into 1 group. Expected two groups or more"),
        ({"small": ["hf/a", "hf/b"], "large": ["hf/a"]}, "puts the model 'hf/a' into several groups"),
    ):
        with pytest.raises(UserError, match=match):
            ex.compare(run, group=grouped(tmp_path, groups))
    with pytest.raises(UserError, match="expected NAME=FILE"):
        ex.compare(run, group="sizes.csv")
    found = ex.compare(run, group=grouped(tmp_path, {"small": ["hf/a"], "large": ["hf/b"]}))
    assert found.contrasts[0].notes[0] == "Without a group, and left out: hf/c."


def test_sizes_are_those_that_the_runs_counted(tmp_path):
    small, large = ["hf/s0", "hf/s1"], ["hf/l0", "hf/l1"]
    run = models_run(tmp_path, dict.fromkeys(small, 0.55) | dict.fromkeys(large, 0.75))
    facts = json.loads((run / "run.json").read_text())
    sizes = {"hf/s0": 134_515_008, "hf/s1": 6_999_999_999, "hf/l0": 7_000_000_000, "hf/l1": 70_000_000_000}
    facts["models"] = [{"name": model, "parameters": size} for model, size in sizes.items()]
    (run / "run.json").write_text(json.dumps(facts))
    by_size = ex.compare(run, group="size>=7e9").contrasts[0]
    by_table = ex.compare(run, group=grouped(tmp_path, {"small": small, "large": large})).contrasts[0]
    assert by_size.changes == by_table.changes
    assert by_size.after.label == "7 billion parameters or more (2 models)"
    with pytest.raises(UserError, match=r"all models are on one side of it \(.*hf/l1: 70,000,000,000"):
        ex.compare(run, group="size>=1e12")
    with pytest.raises(UserError, match="expected size>=NUMBER"):
        ex.compare(run, group="size>=large")
    with pytest.raises(UserError, match="'hf/l0' is in several of the runs"):
        ex.compare(run, tmp_path / "parts" / "2", group="size>=7e9")
    facts["models"] = facts["models"][1:]
    (run / "run.json").write_text(json.dumps(facts))
    with pytest.raises(UserError, match="no number of parameters of hf/s0; it is counted for weights"):
        ex.compare(run, group="size>=7e9")
