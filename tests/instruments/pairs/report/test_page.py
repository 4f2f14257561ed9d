"""The page: complete without scripts and network, its numbers those of the estimates, sentences kept in."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from statsmodels.stats.proportion import proportion_confint

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates import analyze_pairs
from endoxa.instruments.pairs.estimates.records import load_records
from endoxa.instruments.pairs.report.overview import pairs_shown
from endoxa.instruments.pairs.report.results import gather
from endoxa.instruments.reports import write_report
from endoxa.report.inputs import read_runs
from support.html_pages import Page
from support.report_samples import AXES, HOSTILE, pairs, run_folder, scored

BERT = f"hf/../models/planted_{HOSTILE}"
GPT = "hf/models/gpt"
ITEMS = "pairs-sample"
COMBINATIONS = [(BERT, "pll", 0.8), (BERT, "crows-token", 0.5), (GPT, "sum", 0.2)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    records = pl.concat(
        [scored(pairs(), model, rule, share, neutral=rule == "pll") for model, rule, share in COMBINATIONS]
    )
    return run_folder(
        tmp_path_factory.mktemp("runs") / "one",
        records,
        skipped=[{"model": GPT, "rule": "pll", "reason": "a causal model has no mask token"}],
        notice="The preference of these models was planted.",
    )


@pytest.fixture(scope="module")
def output(run: Path) -> Path:
    return write_report([run], run.parent / "new folder" / "report.html")


@pytest.fixture(scope="module")
def page(output: Path) -> Page:
    return Page(output.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def estimates(run: Path) -> pl.DataFrame:
    return analyze_pairs(load_records([run])).estimates


@pytest.mark.slow
def test_nothing_is_loaded_from_anywhere(page: Page, output: Path) -> None:
    assert not [
        tag for tag, _ in page.elements if tag in ("link", "img", "iframe", "object", "embed", "base")
    ]
    for tag, own in page.elements:
        assert not {"src", "srcset", "data", "action", "xlink:href"} & own.keys(), tag
        assert (own.get("href") or "#").startswith(("#", "data:text/csv;charset=utf-8,")), own
    text = output.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.slow
def test_ids_are_unique_and_every_link_has_its_target(page: Page) -> None:
    ids = [own["id"] for _, own in page.elements if "id" in own]
    assert len(ids) == len(set(ids))
    links = [str(own["href"]) for _, own in page.elements if "href" in own]
    targets = {link[1:] for link in links if link.startswith("#")}
    labels = {name for _, own in page.elements for name in str(own.get("aria-labelledby") or "").split()}
    assert targets | labels <= set(ids)


@pytest.mark.slow
def test_markup_in_sentences_and_names_stays_text(page: Page) -> None:
    scripts = [own.get("type") for tag, own in page.elements if tag == "script"]
    assert scripts == ["text/plain", None]  # pairs, scripts
    assert "alert(1)" not in "".join(page.scripts)
    texts = [text for part in page.unpacked(ITEMS)["parts"] for text in part["texts"]]
    assert any(HOSTILE in text for text in texts)
    assert HOSTILE in page.text  # the model's name


@pytest.mark.slow
def test_every_model_rule_axis_and_language_is_named(page: Page) -> None:
    for word in (BERT, GPT, "pll", "crows-token", "sum", *AXES, "English", "Hindi"):
        assert word in page.text
    assert "a causal model has no mask token" in page.text
    assert "The preference of these models was planted." in page.text


@pytest.mark.slow
def test_sentences_stand_in_blurred_cells_and_nowhere_else(page: Page, output: Path) -> None:
    assert (
        sum("Quoted words" in text for text in page.sentences) == 2 * 12
    )  # the first few, for who has no scripts
    assert "Quoted words" not in page.text
    for _, own in page.elements:
        assert not any("Quoted words" in str(value) for value in own.values())
    for path in (output.parent / "report_figures").glob("*.svg"):
        assert "Quoted words" not in path.read_text(encoding="utf-8")
    boxes = [own for tag, own in page.elements if tag == "input" and own["type"] != "radio"]
    assert [("checked" in own, own["type"]) for own in boxes] == [(False, "checkbox")] * 2  # contents, pairs
    assert ".unveil:not(:checked) ~ .list .item:not(.open) .sentence span { filter: blur" in output.read_text(
        encoding="utf-8"
    )


@pytest.mark.slow
def test_the_stereotypical_sentence_comes_first(page: Page) -> None:
    firsts, seconds = (part["texts"] for part in page.unpacked(ITEMS)["parts"])
    assert len(set(firsts)) == 96
    for first, second in zip(firsts, seconds, strict=True):
        swapped = int(first.split("case ")[1].split()[0]) % 3 == 0
        assert ("late" in first, "late" in second) == (swapped, not swapped)


@pytest.mark.slow
def test_every_pair_has_what_each_model_makes_of_it(page: Page, run: Path) -> None:
    """The difference of that pair under that model and rule, signed towards the stereotype, and its side."""
    answers = {rule: found for (_, rule), found in page.answers(ITEMS).items()}
    for one in pl.read_parquet(run / "records.parquet").iter_rows(named=True):
        difference = one["score_more"] - one["score_less"]
        towards = difference if one["stereotypical"] == "more" else -difference
        outcome, value, _ = answers[one["rule"]][one["item_id"]]
        assert value == pytest.approx(towards, rel=6e-3)
        assert outcome == f"prefers the {'stereotypical' if towards > 0 else 'other'} sentence"
    assert {len(found) for found in answers.values()} == {96}


def test_the_pairs_that_some_model_separates_most_come_first(run: Path) -> None:
    """In turn the widest of each model and rule; a pair that was not scored has no outcome; those that fit are kept."""
    (results, _), *_ = gather(read_runs([run]), 0.95, 0)
    widest = results.records.with_columns(size=pl.col("difference").abs()).sort("size", descending=True)
    firsts = [widest.filter(rule=rule)["item_id"][0] for rule in ("pll", "crows-token", "sum")]
    assert {item["id"] for item in pairs_shown(results, [run]).values["first"][:4]} >= set(firsts)
    missing = results.records.filter(~((pl.col("rule") == "sum") & (pl.col("item_id") == firsts[0])))
    shown = list(pairs_shown(replace(results, records=missing), [run]).values["first"])
    (item,) = [item for item in shown if item["id"] == firsts[0]]
    assert "sum" not in {answer["condition"] for answer in item["answers"]}


@pytest.mark.slow
def test_headline_numbers_are_those_of_another_library(page: Page, run: Path) -> None:
    rows = page.table("Preference ratio, all pairs")
    records = pl.read_parquet(run / "records.parquet")
    assert len(rows) == 3
    for model, rule, _ in COMBINATIONS:
        own = records.filter((pl.col("model") == model) & (pl.col("rule") == rule))
        sign = pl.when(pl.col("stereotypical") == "more").then(1).otherwise(-1)
        difference = pl.col("score_more") - pl.col("score_less")
        raw = own.select((sign * difference > 0).mean()).item()
        calibrated = own.filter(pl.col("neutral_difference").is_finite())
        # Three quarters of the pairs are calibrated under this rule, none under the others.
        assert (calibrated.height, own.height) == ((72, 96) if rule == "pll" else (0, own.height))
        if rule == "pll":
            own, difference = calibrated, difference - pl.col("neutral_difference")
        wins = own.select((sign * difference > 0).sum()).item()
        low, high = proportion_confint(wins, own.height, method="wilson")
        clusters = own["identity"].n_unique()
        (row,) = [row for row in rows if row["rule"] == rule]
        assert row["preference ratio"] == f"{100 * wins / own.height:.1f}\u00a0%"
        assert (row["compared with"], row["raw ratio"]) == (
            "'people' and 'they'" if rule == "pll" else "",
            f"{100 * raw:.1f}\u00a0%",
        )
        assert row["95\u00a0% Wilson, pairs"] == f"{100 * low:.1f} to {100 * high:.1f}"
        assert (row["pairs"], row["identities"]) == (str(own.height), str(clusters))


@pytest.mark.slow
def test_axis_numbers_are_those_of_the_estimates(page: Page, estimates: pl.DataFrame) -> None:
    rows = page.table("The numbers behind these figures")
    every = estimates.filter(interval="identities")
    key = ("model", "rule", "language", "axis")
    numbers = {
        (*row[:-2], row[-2]): row[-1]
        for row in every.select(*key, "name", "n").rows()
        if row[-2].endswith("preference_ratio")
    }
    wanted = [
        (
            *cell,
            "calibrated_preference_ratio"
            if 2 * numbers.get((*cell, "calibrated_preference_ratio"), 0) >= n
            else name,
        )
        for (*cell, name), n in numbers.items()
        if name == "preference_ratio"
    ]
    cells = pl.DataFrame(wanted, schema=[*key, "name"], orient="row").join(every, on=(*key, "name"))
    ends = "95\u00a0% interval"
    shown = sorted(
        (row["preference ratio"], row[ends].replace("just above ", ""), row["pairs"]) for row in rows
    )
    assert shown == sorted(
        (
            f"{100 * cell['value']:.1f}\u00a0%",
            "n/a" if math.isnan(cell["low"]) else f"{100 * cell['low']:.1f} to {100 * cell['high']:.1f}",
            str(cell["n"]),
        )
        for cell in cells.iter_rows(named=True)
    )


@pytest.mark.slow
def test_findings_follow_the_planted_preference(page: Page) -> None:
    planted = "planted_<script>alert(1)</script>"
    label = re.escape(
        next(row["model"] for row in page.table("Models") if planted in row["as named in the command"])
    )
    assert re.search(
        rf"Compared with 'people' and 'they', {label} under pll: the preference is not distinguishable from chance: "
        r"44\.4.% of 72 ",
        page.text,
    )
    assert re.search(r"All pairs as they are: 80\.2.% of 96 pairs", page.text)
    assert re.search(
        rf"{label} under crows-token, shown without a claim: pll decides, the rule named first\.", page.text
    )
    assert re.search(r"gpt under sum prefers the stereotypical sentence less often than chance", page.text)


@pytest.mark.slow
def test_flips_are_counted(page: Page) -> None:
    (flip,) = page.table("Rule flips")
    assert (flip["one rule"], flip["other rule"], flip["pairs"]) == ("crows-token", "pll", "96")
    assert "Models compared" not in page.text  # they share no rule


@pytest.mark.slow
def test_models_are_compared_under_the_rule_they_share(tmp_path: Path) -> None:
    records = pl.concat(
        [scored(pairs(), model, "sum", share) for model, share in (("hf/a", 0.9), ("hf/b", 0.2))]
    )
    page = Page(
        write_report([run_folder(tmp_path / "run", records)], tmp_path / "r.html").read_text(encoding="utf-8")
    )
    rows = {row["language"]: row for row in page.table("Every comparison")}
    assert set(rows) == {"all languages", "English", "Hindi"}
    assert rows["all languages"]["models and rules"] == "a · sum minus b · sum"
    assert (rows["English"]["pairs"], rows["English"]["scored by one only"]) == ("48", "0")


@pytest.mark.slow
def test_figures_are_files_and_in_the_page(page: Page, output: Path) -> None:
    folder = output.parent / "report_figures"
    stems = {path.stem for path in folder.glob("*.svg")}
    drawings = [
        own
        for tag, own in page.elements
        if (tag == "svg" and own.get("class") != "curve") or own.get("class", "").split()[:1] == ["plot"]
    ]
    assert len(stems) == len(drawings) >= 10
    assert stems == {path.stem for path in folder.glob("*.png")}
    assert all(own["role"] == "img" and (own.get("aria-labelledby") or own["aria-label"]) for own in drawings)
    for stem in stems:
        assert (folder / f"{stem}.png").read_bytes().startswith(b"\x89PNG")
        root = ElementTree.parse(folder / f"{stem}.svg").getroot()
        names = [child.tag.rpartition("}")[2] for child in root]
        assert names[:2] == ["title", "desc"]


@pytest.mark.slow
def test_how_to_repeat_is_there(page: Page) -> None:
    assert "endoxa probe pairs --data sample.csv --out 'a folder'" in page.text
    assert "confidence 0.95 and seed 0" in page.text


@pytest.mark.slow
def test_the_same_runs_give_the_same_page(run: Path, output: Path, tmp_path: Path) -> None:
    again = write_report([run, run], tmp_path / "report.html")
    assert again.read_bytes() == output.read_bytes()


@pytest.mark.slow
def test_two_data_sets_are_two_parts(tmp_path: Path) -> None:
    items = pairs(12, ("en",))
    bare = {"endoxa": None, "command": None, "models": None, "rules": None}
    first = run_folder(tmp_path / "a", scored(items, GPT, "sum", 0.5), **bare)
    second = run_folder(tmp_path / "b", scored(items, BERT, "sum", 0.5), data="other.csv")
    page = Page(write_report([first, second], tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "Results on sample" in page.text
    assert "Results on other" in page.text
    for empty in (
        "Models compared",
        "Disagreement between rules",
    ):
        assert empty not in page.text
    assert "not recorded" in page.text
    ids = [own["id"] for _, own in page.elements if "id" in own]
    assert len(ids) == len(set(ids))


@pytest.mark.slow
def test_ties_single_pairs_and_bare_descriptions_are_reported_too(tmp_path: Path) -> None:
    items = pairs(8, ("en",)).with_columns(axis=pl.lit("जाति"))
    tied = scored(items, "sim/a", "my-rule", 0.5).with_columns(
        score_more=pl.lit(-20.0), neutral_difference=0.0
    )
    more = [tied.with_columns(model=pl.lit("hf/b")), tied.with_columns(rule=pl.lit("other-rule")), tied]
    first = run_folder(tmp_path / "a", pl.concat(more), models="?", rules=None, skipped="?", command="?")
    second = run_folder(tmp_path / "b", scored(items.head(1), "hf/b", "sum", 1, neutral=True), data="b.csv")
    page = Page(write_report([first, second], tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "are simulated respondents" in page.text
    assert "50.0 % of 8 pairs" in page.text.replace("\u00a0", " ")
    assert "cannot be tested (every pair is a tie)" in page.text
    assert "cannot be tested (1 pair, at least 6 needed)" in page.text
    assert "जाति" in page.text


@pytest.mark.slow
def test_few_identities_cannot_be_tested(tmp_path: Path) -> None:
    items = pairs(40, ("en",)).with_columns(identity=pl.lit("bakers"))
    run = run_folder(tmp_path / "run", scored(items, GPT, "sum", 0.95))
    page = Page(write_report([run], tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "cannot be tested (1 identity, at least 6 needed)" in page.text
    assert "than chance" not in page.text.partition("Methods and caveats")[0]


def _unfinished(folder: Path) -> Path:
    return run_folder(folder, scored(pairs(6), GPT, "sum", 0.5), finished=None)


def _other_kind(folder: Path) -> Path:
    return run_folder(folder, scored(pairs(6), GPT, "sum", 0.5), kind="tales")


def _no_records(folder: Path) -> Path:
    (run_folder(folder, scored(pairs(6), GPT, "sum", 0.5)) / "records.parquet").unlink()
    return folder


def _damaged(folder: Path) -> Path:
    (run_folder(folder, scored(pairs(6), GPT, "sum", 0.5)) / "run.json").write_text("{", encoding="utf-8")
    return folder


def _no_object(folder: Path) -> Path:
    (run_folder(folder, scored(pairs(6), GPT, "sum", 0.5)) / "run.json").write_text("[]", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: folder, "is not a run folder"),
        (_unfinished, "is not finished"),
        (_no_records, "is not finished"),
        (_other_kind, "kind 'tales'"),
        (_damaged, "cannot be read as JSON"),
        (_no_object, "no JSON object"),
    ],
)
def test_what_is_no_finished_run_is_refused(make, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        write_report([make(tmp_path / "run")], tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()


@pytest.mark.slow
def test_output_that_cannot_be_written_is_refused(run: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="cannot be written"):
        write_report([run], tmp_path / "file" / "r.csv")
    with pytest.raises(UserError, match="is a folder"):
        write_report([run], tmp_path, format="csv")


def test_no_run_and_unknown_formats_are_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No run folder"):
        write_report([], tmp_path / "r.html")
    with pytest.raises(UserError, match="does not say what to write"):
        write_report([run], tmp_path / "r.pdf")
    with pytest.raises(UserError, match="Unknown report format 'pdf'"):
        write_report([run], tmp_path / "r.html", format="pdf")
