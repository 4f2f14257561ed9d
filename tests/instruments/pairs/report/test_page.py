"""The page: complete without scripts and network, its numbers those of the estimates, sentences kept in."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from statsmodels.stats.proportion import proportion_confint

from endoxa.instruments.reports import write_report
from support.html_pages import Page, assert_complete
from support.report_samples import HOSTILE, pairs, run_folder, scored

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


@pytest.mark.slow
def test_the_page_is_complete_and_markup_in_sentences_and_names_stays_text(page: Page, output: Path) -> None:
    assert_complete(page)
    text = output.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style
    scripts = [own.get("type") for tag, own in page.elements if tag == "script"]
    assert scripts == ["text/plain", None]  # pairs, scripts
    assert "alert(1)" not in "".join(page.scripts)
    texts = [text for part in page.unpacked(ITEMS)["parts"] for text in part["texts"]]
    assert any(HOSTILE in text for text in texts)
    assert HOSTILE in page.text  # the model's name


@pytest.mark.slow
def test_sentences_stand_in_blurred_cells_and_nowhere_else(page: Page, output: Path) -> None:
    quoted = sum("Quoted words" in text for text in page.sentences)
    assert quoted == 2 * 12, "the first few, for who has no scripts"
    assert "Quoted words" not in page.text
    for _, own in page.elements:
        assert not any("Quoted words" in str(value) for value in own.values())
    for path in (output.parent / "report_figures").glob("*.svg"):
        assert "Quoted words" not in path.read_text(encoding="utf-8")
    boxes = [own for tag, own in page.elements if tag == "input" and own["type"] != "radio"]
    assert [("checked" in own, own["type"]) for own in boxes] == [(False, "checkbox")] * 2  # contents, pairs
    style = ".unveil:not(:checked) ~ .list .item:not(.open) .sentence span { filter: blur"
    assert style in output.read_text(encoding="utf-8")


@pytest.mark.slow
def test_every_pair_has_what_each_model_makes_of_it_and_its_stereotypical_sentence_first(
    page: Page, run: Path
) -> None:
    """The difference of that pair under that model and rule, signed towards the stereotype, and its side."""
    answers = {rule: found for (_, rule), found in page.answers(ITEMS).items()}
    for one in pl.read_parquet(run / "records.parquet").iter_rows(named=True):
        difference = one["score_more"] - one["score_less"]
        towards = difference if one["stereotypical"] == "more" else -difference
        outcome, value, _ = answers[one["rule"]][one["item_id"]]
        assert value == pytest.approx(towards, rel=6e-3)
        assert outcome == f"prefers the {'stereotypical' if towards > 0 else 'other'} sentence"
    assert {len(found) for found in answers.values()} == {96}
    firsts, seconds = (part["texts"] for part in page.unpacked(ITEMS)["parts"])
    assert len(set(firsts)) == 96
    for first, second in zip(firsts, seconds, strict=True):
        swapped = int(first.split("case ")[1].split()[0]) % 3 == 0
        assert ("late" in first, "late" in second) == (swapped, not swapped)


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
        (row,) = [row for row in rows if row["rule"] == rule]
        assert row["preference ratio"] == f"{100 * wins / own.height:.1f}\u00a0%"
        assert row["compared with"] == ("'people' and 'they'" if rule == "pll" else "")
        assert row["raw ratio"] == f"{100 * raw:.1f}\u00a0%"
        assert row["95\u00a0% Wilson, pairs"] == f"{100 * low:.1f} to {100 * high:.1f}"
        assert (row["pairs"], row["identities"]) == (str(own.height), str(own["identity"].n_unique()))
