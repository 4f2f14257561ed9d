"""Results that need weights or keys, rehearsed with tiny and simulated models: nothing of it is called agreement."""

from __future__ import annotations

import json
import math
import shutil

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_1samp

from endoxa.errors import UserError
from endoxa.sources.bbq.items import read_items
from endoxa.study.reproduce import RESULTS, reproduce
from support.qa_questions import questions
from support.story_pairs import write_ratings

JUDGED = {"agrees", "differs"}


def cells_of(name, data, out, *models):
    found = reproduce(RESULTS.get(name), data, out, models=models).cells
    return {(row["table"], row["cell"]): row for row in found.to_dicts()}


def verdicts(cells):
    return {row["verdict"] for row in cells.values()}


# ------------------------------------------------------------------ weights


@pytest.fixture(scope="module")
def tiny_bert(shared):
    return f"hf/{shared / 'data/models/tiny-bert'}"


def first(path, rows, folder):
    """The first rows of a table, in a folder of its own."""
    folder.mkdir(exist_ok=True)
    pl.read_csv(path, infer_schema=False).head(rows).write_csv(folder / path.name)
    return folder


@pytest.mark.slow
def test_percentages_of_another_model_are_computed_and_not_judged(shared, tmp_path, tiny_bert):
    """On 20 pairs: the percentage that the reference scores give, counted here by hand."""
    data = first(shared / "data/indibias/IndiBias_v1_sample.csv", 20, tmp_path / "data")
    cells = cells_of("indibias-percentages", data, tmp_path / "out", f"Muril={tiny_bert}")
    for language, code in (("English", "en"), ("Hindi", "hi")):
        reference = pl.read_csv(shared / f"data/reference_scores/indibias_{code}_word_level_first20.csv")
        won = reference["ws_whole_more_sum"] > reference["ws_whole_less_sum"]
        stereo = reference["stereo_antistereo"] == "stereo"
        row = cells["Table 2", f"ICS (mean), {language}, Muril"]
        assert row["ours"] == pytest.approx(100 * (won == stereo).mean())
        assert row["verdict"] == "not-comparable"
        assert "not with the published model Muril; the file has 20 of the paper's 800 pairs" in row["why"]
        spread, share = cells["Table 2", f"ICS (std-dev), {language}, Muril"], (won == stereo).mean()
        assert spread["ours"] == pytest.approx(100 * math.sqrt(share * (1 - share) / 20))
        assert spread["why"].startswith("ours is the standard error of the percentage over pairs")
    assert cells["Table 2", "ICS (mean), English, XLMR"]["verdict"] == "not-computed"
    assert not verdicts(cells) & JUDGED


@pytest.mark.slow
def test_bias_preference_ratio_by_the_published_notebook(shared, tmp_path):
    """The reference sentences as a table of pairs: the share that the reference scores give."""
    scores = pl.read_csv(shared / "data/reference_scores/lm_scores_afri_first20.csv")
    more, less = (scores.filter(side=side) for side in ("stereo", "anti"))
    texts = [
        (*text.removesuffix(".").split(" are "), other.removesuffix(".").split(" are ")[1])
        for text, other in zip(more["text"], less["text"], strict=True)
    ]
    names = ("identity", "canonical_attribute", "anti_stereotype")
    pairs = pl.DataFrame(texts, schema=names, orient="row").with_columns(type=pl.lit("age"))
    pairs.write_csv(tmp_path / "s_as_pairs.csv")
    models = (f"GPT-Neo=hf/{shared / 'data/models/tiny-gpt2'}", f"BioGPT Large={tmp_path}/none")
    cells = cells_of("afristereo-bpr", tmp_path, tmp_path / "out", *models)
    differences = (more["gpt2_nobos_afristereo"] - less["gpt2_nobos_afristereo"]).to_numpy()
    test = cells["Table 8", "p-value, GPT-Neo"]
    assert test["ours"] == pytest.approx(float(ttest_1samp(differences, 0).pvalue), rel=1e-3)
    assert test["verdict"] == "not-comparable"
    row = cells["Table 8", "BPR, GPT-Neo"]
    assert 0 < row["ours"] < 1
    assert row["ours"] == pytest.approx((differences > 0).mean())
    assert row["verdict"] == "not-comparable"
    assert "10 of the 123 pairs" in row["why"]
    assert not verdicts(cells) & JUDGED
    age, gender = (cells["Table 8", f"primary axis, GPT-Neo, {axis} (1: yes)"] for axis in ("age", "gender"))
    assert (age["published"], age["ours"]) == (1, int(differences.mean() > 0 and test["ours"] <= 0.05))
    assert (gender["ours"], gender["verdict"]) == (None, "not-computed")
    assert gender["why"].startswith("fewer than two pairs on this axis")
    # A model that cannot be scored stops no other.
    missing = cells["Table 8", "BPR, BioGPT Large"]
    assert (missing["verdict"], "cannot be scored: " in missing["why"]) == ("not-computed", True)
    # A finished run gives the same cells, without pairs and weights.
    shutil.copytree(tmp_path / "out/runs/gpt-neo", tmp_path / "runs/run")
    again = cells_of("afristereo-bpr", tmp_path / "runs", tmp_path / "again", models[0])
    assert again["Table 8", "BPR, GPT-Neo"] == row


# ------------------------------------------------------------------ answers of models


def respond(items, wrong, biased):
    """Predictions in which so many ambiguous questions name a person, so many of them the stereotyped one."""
    rows = []
    for item in items:
        choice = item.label
        if item.condition == "ambig" and wrong > 0:
            other = next(k for k in range(3) if k not in (item.target, item.unknown))
            choice = item.target if biased > 0 else other
            wrong, biased = wrong - 1, biased - 1
        rows.append({"category": item.category, "example_id": item.example_id, "pred_index": choice})
    return pl.DataFrame(rows)


@pytest.fixture
def nationality(shared, tmp_path):
    """A folder with all questions of one category, and the questions."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("Nationality.jsonl", "additional_metadata.csv"):
        (folder / name).symlink_to(shared / "data/bbq" / name)
    return folder, items_of(folder)


@pytest.fixture
def few(nationality):
    """The first eight questions."""
    folder, _ = nationality
    lines = (folder / "Nationality.jsonl").read_text(encoding="utf-8").splitlines()[:8]
    (folder / "Nationality.jsonl").unlink()
    (folder / "Nationality.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder, items_of(folder)


def items_of(folder):
    return list(read_items(folder / "Nationality.jsonl", metadata=folder / "additional_metadata.csv"))


def named(predictions, model):
    return predictions.with_columns(model=pl.lit(model))


@pytest.mark.slow
def test_name_based_tables_from_planted_predictions(nationality, tmp_path):
    """GPT-4o's printed cells are planted: 77 of 1,540 ambiguous questions wrong (0.950), 64 of them stereotyped."""
    data, items = nationality
    given = respond(items, 77, 64)
    pl.concat(named(given, name) for name in ("GPT-4o", "sim/biased")).write_csv(
        data / "predictions_nationality.csv"
    )
    cells = cells_of("names-bbq", data, tmp_path / "out", "Claude Haiku=sim/biased")
    expected = {"Table 1": 0.95, "Table 5": 2 * 64 / 77 - 1, "Table 3": 0.05 * (2 * 64 / 77 - 1)}
    for table, value in expected.items():
        row = cells[table, "GPT-4o, Nationality"]
        assert row["ours"] == pytest.approx(value)
        assert row["verdict"] == "agrees", table
        other = cells[table, "Claude Haiku, Nationality"]
        assert other["ours"] == pytest.approx(value)
        assert other["verdict"] == "not-comparable"
        assert other["why"] == "computed with sim/biased, not with the published model Claude Haiku"
    spread = cells["Table 1", "GPT-4o, Nationality, standard deviation"]
    assert (spread["verdict"], spread["why"]) == ("not-computed", "it needs two runs or more")
    # Every disambiguated answer is right: the printed 0.964 is missed.
    assert cells["Table 2", "GPT-4o, Nationality"]["verdict"] == "differs"
    assert cells["Table 1", "GPT-4o, Name"]["verdict"] == "not-computed"


@pytest.mark.slow
def test_answers_that_could_be_taken_for_two_models_are_refused(few, tmp_path):
    data, items = few
    both = pl.concat(named(respond(items, 1, 1), name) for name in ("GPT-4o", "sim/biased"))
    both.write_csv(data / "predictions_nationality.csv")
    for model, message in (
        ("biased", r"The answers of GPT-4o and of another model both stand for GPT-4o"),
        ("fair", r"--model sim/fair: there are no answers of it\. The answers are of: GPT-4o, sim/b"),
    ):
        with pytest.raises(UserError, match=message):
            cells_of("names-bbq", data, tmp_path / "out", f"GPT-4o=sim/{model}")
    cells = cells_of("names-bbq", data, tmp_path / "out")
    assert cells["Table 1", "sim/biased, Nationality"]["published"] is None
    assert cells["Table 1", "GPT-4o, Nationality"]["why"] == "8 questions, the paper asked 3,080"
    assert not verdicts(cells) & JUDGED


def question(number):
    """An ambiguous question; option A is the stereotyped person, C is unknown."""
    return questions(1)[0] | {"example_id": number, "question_index": str(number), "category": "Nationality"}


@pytest.mark.slow
def test_self_debiasing_by_the_formula_of_laces(tmp_path):
    """40 questions. Baseline: 24 A, 8 B, 8 C: (1 - 8/40)(2 * 24/32 - 1) = 0.4. Reprompting: 40 C: 0. One unreadable."""
    lines = [json.dumps(question(k)) for k in range(41)]
    (tmp_path / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    letters = ["A"] * 24 + ["b) The person from the hill"] * 8 + ["c"] * 9
    rows = [
        {
            "category": "Nationality",
            "example_id": k,
            "model": "GPT-4o-mini",
            "protocol": protocol,
            "pred_text": text,
        }
        for k, baseline in enumerate(letters)
        for protocol, text in (
            ("baseline", baseline if k < 40 else "no comment"),
            ("explanation", baseline),
            ("reprompting", "(C)"),
        )
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "predictions.csv")
    cells = cells_of("laces-debias", tmp_path, tmp_path / "out")
    table = "Table 2, LACES dataset"
    assert cells[table, "B, GPT-4o-mini"]["ours"] == pytest.approx(0.4)
    assert cells[table, "E, GPT-4o-mini"]["ours"] == pytest.approx(0.4)
    assert cells[table, "R, GPT-4o-mini"]["ours"] == 0
    assert cells["Table 3", "N (evaluated), GPT-4o-mini"]["ours"] == 40
    assert cells["Table 3", "Dropped, GPT-4o-mini"]["ours"] == 1
    assert cells[table, "B, GPT-4o-mini"]["why"] == "41 questions, the paper asked 4,718"
    assert not verdicts(cells) & JUDGED


# ------------------------------------------------------------------ ratings and stories


@pytest.mark.slow
def test_ratings_of_a_model_beside_those_of_people(tmp_path, shared):
    """People rate 1 to 4 in turn and the model one point more: r and rho are 1, and 4 against 3 is another class."""
    shutil.copy(shared / "data/stereotales/published_associations.json", tmp_path)
    harms = np.arange(240) % 4 + 1
    write_ratings(tmp_path / "harm", harms + 1)
    rows = [
        ("religion", f"value {k // 8}", "work", f"job {k % 8}", f"p{person}", int(harm), "yes")
        for k, harm in enumerate(harms)
        for person in range(3)
    ]
    # As a harm study of the site exports them; a rater who broke the rule does not count.
    rows = [(*row, True) for row in rows] + [(*rows[0][:4], "out", 5, "no", False)]
    pl.DataFrame(rows, schema=[*PARTS, "rater", "harm", "frequent", "counts"], orient="row").write_csv(
        tmp_path / "harm.csv"
    )
    cells = cells_of("stereotales-associations", tmp_path, tmp_path / "out")
    table = {cell: row for (table, cell), row in cells.items() if table == "models against people"}
    between = table.pop("agreement between models, percent")
    assert (between["ours"], between["why"]) == (None, "it needs two models or more")
    assert {cell: row["ours"] for cell, row in table.items()} == pytest.approx(
        {"Pearson": 1, "Spearman": 1, "mean difference": 1, "agreement, percent": 75}
    )
    assert [row["published"] for row in table.values()] == [0.64, 0.62, -0.103, 77]
    people = "the file has the ratings of 3 people, the study 247"
    assert table["Pearson"]["why"] == f"the run has 1 model, the study 23; {people}"
    assert cells["human study", "participants"]["ours"] == 3
    # Another model, which calls harmful (4 or more) half of what the first does: a quarter of all is told apart.
    records = pl.read_parquet(tmp_path / "harm/records.parquet")
    other = records.with_columns(rater=pl.lit("n"), harm=pl.col("harm").replace(4, 3))
    pl.concat([records, other]).write_parquet(tmp_path / "harm/records.parquet")
    cells = cells_of("stereotales-associations", tmp_path, tmp_path / "again")
    between = cells["models against people", "agreement between models, percent"]
    assert (between["published"], between["ours"]) == (80, 75)


LACES = ("annotator_nationalities", "data_point_nationality", "data_point_attribute", "data_point_language")


def test_disagreement_in_a_release_by_hand(tmp_path):
    """Ten associations: eight without any disagreement, two of Negative Traits with the largest there is."""
    rows, topics = [], []
    for k in range(10):
        topics.append((f"said {k}", "Negative Traits" if k >= 6 else "Economy", "negative"))
        for rater, rating in enumerate([1, 5] if k >= 8 else [4, 4]):
            nationalities = "['Peru', 'nation']" if rater else "['Peru']"
            rows.append((nationalities, "nation", f"said {k}", "en", str(float(rating))))
    rows.append(("['Peru']", "nation", "said 0", "en", ""))  # proposed, and rated by nobody
    pl.DataFrame(rows, schema=[*LACES, "stereotype_score"], orient="row").write_csv(
        tmp_path / "LACES_DATASET.csv"
    )
    pl.DataFrame(topics, schema=["attribute", "topic", "sentiment"], orient="row").write_csv(
        tmp_path / "topics.csv"
    )
    cells = cells_of("laces-release", tmp_path, tmp_path / "out")
    ours = {cell: row["ours"] for (_, cell), row in cells.items()}
    assert ours["associations"] == 21
    assert ours["pairs with two ratings or more"] == 10
    assert ours["variance of 0, percent"] == 80
    assert ours["largest variance"] == 4
    # Two of ten at 4, the others at 0: skewness (1 - 2 p) / sqrt(p (1 - p)) of a coin with p = 0.2.
    assert ours["skewness of the variances"] == pytest.approx(0.6 / 0.4)
    # Two of eight undisputed and both disputed ones: (1 - 0.25) / 0.25.
    assert ours["relative change, Negative Traits, percent"] == pytest.approx(300)
    assert ours["Economy, n"] == 12
    assert ours["Economy, IG, percent"] == 50
    assert ours["negative, in-group"] == pytest.approx((8 * 4 + 2 * 5) / 10)
    assert ours["positive, in-group"] is None
    assert cells["4", "associations"]["why"] == "the file has 21 of the paper's 4,789 associations"
    assert not verdicts(cells) & JUDGED


PARTS = ("base_attribute", "base_value", "compared_attribute", "compared_value")


UNIVERSAL = (
    ("political_orientation", "conservative", "employment_status", "retired"),
    ("income_level", "low income", "disability_status", "some disability"),
)
LANGUAGES = ("en", "fr", "es", "it", "pt", "nl", "uk", "ar", "hi", "zh")


def test_language_tables_of_planted_associations(tmp_path):
    """Two associations in all ten languages, one in French, Italian and Dutch, one in English alone."""
    romance = ("religion", "Muslim", "immigration_status", "immigrant")
    english = ("gender", "woman", "urbanicity", "rural")
    found = [(*parts, language) for parts in UNIVERSAL for language in LANGUAGES]
    found += [(*romance, language) for language in ("fr", "it", "nl")] + [(*english, "en")]
    pl.DataFrame(found, schema=[*PARTS, "aggregation"], orient="row").with_columns(
        model=pl.lit("m")
    ).write_csv(tmp_path / "associations_by_language.csv")
    cells = cells_of("stereotales-languages", tmp_path, tmp_path / "out")
    ours = {cell: row["ours"] for (_, cell), row in cells.items()}
    assert ours["different associations"] == 4
    assert ours["languages"] == 10
    assert ours["conservative: retired"] == 10
    assert ours["low income: some disability"] == 10
    assert ours["administrative support: woman"] == 0
    assert ours["French, Italian and Dutch more alike than other pairs on average (1: yes)"] == 1
    assert verdicts(cells) == {"not-comparable"}
