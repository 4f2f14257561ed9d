"""Drafts of simulated authors: planted faults are counted one by one, and every kind makes what its room needs."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.author.drafting import draft
from endoxa.author.kind import Ask
from endoxa.author.kinds import KINDS
from endoxa.author.kinds.sentences import NO_ATTRIBUTE
from endoxa.author.run import prepare
from endoxa.author.settings import (
    CounterSettings,
    ExpandSettings,
    LabelSettings,
    SentencesSettings,
    TranslateSettings,
    TuplesSettings,
)
from endoxa.schema.drafts import DRAFT_COLUMNS, REASONS, YIELD_COLUMNS

pytestmark = pytest.mark.slow

FAULTLESS = "sim/author-faultless"


def table(tmp_path, name, **columns):
    path = tmp_path / f"{name}.csv"
    pl.DataFrame(columns).write_csv(path)
    return str(path)


@pytest.fixture
def identities(tmp_path):
    groups = ["farmers", "teachers", "bakers", "drivers"]
    return table(tmp_path, "identities", identity=groups, axis=["profession"] * 4)


def made(name, settings, tmp_path, out="out.csv"):
    return draft(name, settings, tmp_path / "drafts" / out).made


@pytest.mark.parametrize(
    ("fault", "counts"),
    [
        ("refuse=1", {"refused": 4, "rows": 0, "drafts": 0}),
        ("repeat=1", {"rows": 40, "repeated": 36, "drafts": 4}),
        ("contradict=1", {"rows": 40, "malformed": 40, "drafts": 0}),
        ("halt=1", {"rows": 40, "stopped": 4, "after-stop": 20, "drafts": 20}),
    ],
)
def test_each_planted_fault_is_counted(identities, tmp_path, fault, counts):
    settings = TuplesSettings(data=identities, models=(f"{FAULTLESS}?{fault}",))
    found = made("tuples", settings, tmp_path)
    row = found.yields.row(0, named=True)
    assert {name: row[name] for name in counts} == counts
    assert (row["asked"], row["answers"]) == (40, 4)
    assert row["rows"] == row["drafts"] + sum(row[name] for name in REASONS)
    assert found.left_out.height == row["rows"] - row["drafts"] + row["refused"]
    assert list(found.yields.columns) == list(YIELD_COLUMNS)


def test_tuples_of_several_models_are_united_with_their_names(identities, tmp_path):
    models = (FAULTLESS, f"{FAULTLESS}?repeat=0")  # the same words under another name
    found = made("tuples", TuplesSettings(data=identities, models=models, per_identity=6), tmp_path)
    drafts = found.drafts
    assert list(drafts.columns)[: len(DRAFT_COLUMNS)] == list(DRAFT_COLUMNS)
    assert drafts["draft_id"].n_unique() == drafts.height
    assert set(drafts["status"]) == {"draft"}
    one = drafts.row(0, named=True)
    assert one["source"].startswith("draft by sim/")
    assert (one["prompt_id"], len(one["prompt_sha256"]), one["seed"] > 0) == ("endoxa-author-en-1", 12, True)
    assert drafts["n_models"].sum() == found.yields["drafts"].sum()


def test_what_is_known_is_no_new_draft(identities, tmp_path):
    settings = TuplesSettings(data=identities, models=(FAULTLESS,))
    before = made("tuples", settings, tmp_path, "a.csv").drafts
    known = tmp_path / "known.csv"
    before.select("identity", attribute=pl.format("very {}", "attribute")).write_csv(known)
    after = made("tuples", settings.model_copy(update={"known": str(known)}), tmp_path, "b.csv")
    assert (after.drafts.height, after.yields["known"][0]) == (0, before.height)


@pytest.mark.parametrize("contrast", ["group", "attribute"])
def test_sentences_are_minimal_pairs(tmp_path, contrast):
    data = table(tmp_path, "t", identity=["farmers", "bakers"], attribute=["brave", "rude"], axis=["p", "p"])
    settings = SentencesSettings(data=data, models=(FAULTLESS,), contrast=contrast, registers=("a novel",))
    drafts = made("sentences", settings, tmp_path).drafts
    for row in drafts.iter_rows(named=True):
        assert row["identity"] in row["sent_more"]
        partner = row["contrast"] if contrast == "group" else row["identity"]
        assert partner in row["sent_less"]
        assert ("negation-only" in row["checks"]) == (contrast == "attribute")
    assert drafts.height == 2
    wrong = settings.model_copy(update={"models": (f"{FAULTLESS}?contradict=1",)})
    assert made("sentences", wrong, tmp_path, "w.csv").yields["identical"][0] == 2


def test_a_limit_limits_what_is_drafted_not_what_it_is_contrasted_with(tmp_path):
    """Rows that are not drafted are groups to contrast with, and associations that are no new drafts."""
    data = table(tmp_path, "t", identity=["farmers", "bakers"], attribute=["brave", "rude"], axis=["p", "p"])
    settings = SentencesSettings(data=data, models=(FAULTLESS,), registers=("a novel",), limit=1)
    drafts = made("sentences", settings, tmp_path).drafts
    assert drafts.select("identity", "contrast").rows() == [("farmers", "bakers")]
    sampled = settings.model_copy(update={"limit": None, "sample": 1})
    assert made("sentences", sampled, tmp_path, "s.csv").drafts.height == 1
    expanding = ExpandSettings(data=data, models=(FAULTLESS,), country="Kenya", limit=1)
    assert ("bakers", "rude") in prepare(KINDS["expand"], expanding).context.associations


def test_a_sentence_without_its_attribute_is_marked():
    facts = {"identity": "farmers", "attribute": "not rich", "contrast": "bakers", "language": "en"}
    settings = SentencesSettings(models=("sim/author",))
    for sentence, marked in (("Farmers are wealthy.", True), ("Farmers are not rich.", False)):
        row = {"sentence": sentence, "partner": sentence.lower().replace("farmers", "bakers")}
        checks = KINDS["sentences"].judged(settings, None, Ask("", facts), row).checks
        assert (NO_ATTRIBUTE in checks) == marked


def test_expansion_leaves_out_other_countries(tmp_path):
    people, said = ["nurses", "sailors"], ["kind", "rude"]
    data = table(tmp_path, "own", identity=people, attribute=said, axis=["profession"] * 2)
    settings = ExpandSettings(
        data=data, models=(FAULTLESS,), country="Kenya", axes=("profession", "age"), rows=60, batch_rows=25
    )
    outcome = draft("expand", settings, tmp_path / "d.csv")
    drafts = outcome.made.drafts
    assert sorted(drafts["batch"].unique()) == [1, 2, 3]
    assert set(drafts["country"]) == {"Kenya"}
    abroad = settings.model_copy(update={"models": (f"{FAULTLESS}?abroad=1",)})
    found = made("expand", abroad, tmp_path, "abroad.csv")
    assert (found.drafts.height, found.yields["elsewhere"][0] + found.yields["repeated"][0]) == (0, 60)


def test_counter_narratives_are_no_denials():
    facts = {"identity": "farmers", "attribute": "poor", "language": "en", "sent_more": "Farmers are poor."}
    reasons = {
        "Farmers are poor.": "alike",
        "Farmers are not poor.": "negation",
        "Farmers feed whole towns.": "",
        "They feed whole towns.": "no-group",
        "": "malformed",
    }
    for counter, reason in reasons.items():
        judged = KINDS["counter"].judged(CounterSettings(), None, Ask("", facts), {"counter": counter})
        assert judged.reason == reason, counter


def test_labels_are_those_of_most_votes(tmp_path):
    words = [f"attribute {k}" for k in range(40)]
    data = table(tmp_path, "a", attribute=words)
    sheet = tmp_path / "sheet.csv"
    settings = LabelSettings(
        data=data, models=(FAULTLESS,), scheme="sentiment", repeats=3, sheet=str(sheet), sheet_rows=10
    )
    drafts = made("label", settings, tmp_path).drafts
    assert drafts["text"].to_list() == words
    for row in drafts.iter_rows(named=True):
        votes = dict(one.rsplit(" ", 1) for one in row["votes"].split("; "))
        assert sum(map(int, votes.values())) == 3
        best = max(map(int, votes.values()))
        assert (row["label"] == "") == (list(votes.values()).count(str(best)) > 1)
        if row["label"]:
            assert int(votes[row["label"]]) == best
            assert row["agreement"] == pytest.approx(best / 3, abs=1e-3)
    filled = pl.read_csv(sheet)
    assert (filled.height, set(filled["label"].fill_null(""))) == (10, {""})
    off = settings.model_copy(update={"models": (f"{FAULTLESS}?contradict=1",), "sheet": None})
    found = made("label", off, tmp_path, "off.csv")
    assert found.yields["off-list"][0] == 120
    assert set(found.drafts["label"]) == {""}


def test_tables_and_chat_models_are_candidates_and_what_an_engine_cannot_translate_is_counted(tmp_path):
    data = table(tmp_path, "p", sent_more=["Women are loud.", "b"], sent_less=["Women are quiet.", "d"])
    words = tmp_path / "words.csv"
    words.write_text("original,translation\nWomen are loud.,same\nWomen are quiet.,same\nb,z\n")
    engine = f"table:{words}"
    settings = TranslateSettings(data=data, to="hi", services=(engine,), models=(FAULTLESS,))
    made = draft("translate", settings, tmp_path / "c.csv").made
    assert made.yields.filter(model=engine).select("asked", "failed", "drafts").row(0) == (2, 1, 1)
    first, second = pl.read_csv(tmp_path / "c.csv").iter_rows(named=True)
    assert (first[f"candidate_{engine}_more"], first[f"checks_{engine}"]) == ("same", "identical-now")
    assert first[f"candidate_{FAULTLESS}_more"] == "nemoW era .duol"
    assert not second[f"candidate_{engine}_more"]
