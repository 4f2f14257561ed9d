"""Exports: figures that were worked out by hand, small cells that were planted, cells that spreadsheets would run."""

from __future__ import annotations

import csv
import json
import subprocess
import tomllib
from collections import Counter

import polars as pl
import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from collect_support.filled_campaign import give_hurt_answer, give_mention, give_rating, give_skip, propose
from endoxa.errors import UserError
from endoxa.sources.check import check_file
from endoxa.sources.files import CHECKSUMS
from endoxa.sources.read import recognise
from endoxa_collect.campaign import CampaignSettings, ProfileField, SurveyQuestion
from endoxa_collect.export.card import survey_map
from endoxa_collect.export.columns import LEAST, OTHER, TABLES
from endoxa_collect.export.folder import read_export
from endoxa_collect.export.run import export_campaign
from endoxa_collect.models import Card, MixedAnswer, MixedCard, Moderation
from endoxa_collect.small_cells import merge_small_cells
from support.repository import ROOT

pytestmark = pytest.mark.slow

CHOICES = {"young": {"en": "Young"}, "old": {"en": "Old"}}
AGE = ProfileField(name="age", label={"en": "Age"}, purpose={"en": "To compare"}, choices=CHOICES)


@pytest.fixture
def export(tmp_path):
    """A function that exports and reads back: the tables, as lists of rows."""

    def write(campaign, **options):
        export_campaign(campaign, tmp_path / "export", **options)
        _, frames = read_export(tmp_path / "export")
        return {name: frame.to_dicts() for name, frame in frames.items()}

    return write


@pytest.fixture
def crowd(make_person):
    """A function that makes people of one country, enough to be told apart from others."""

    def make(campaign, country, count=LEAST, **changes):
        return [
            make_person(campaign, f"{country}{n}", **{"origins": [country], **changes}) for n in range(count)
        ]

    return make


def test_figures_of_a_pair_as_worked_out_by_hand(campaign, crowd, make_pairs, export):
    """Ratings 5 and 3 by Chileans (drawn with 1/2 and 1/4), 2 and 1 by Argentines (1/10, 1/5).

    Hajek: (5*2 + 3*4 + 2*10 + 1*5) / (2 + 4 + 10 + 5) = 47/21; knowers (2 + 4 + 10) / 21. A 5 of the set that all go
    through, for which nobody was picked, has no part in these. All five: mean 16/5; variance
    (3.24 + 0.04 + 1.44 + 4.84 + 3.24) / 5 = 2.56; Argentines 8/3.
    """
    (pair,) = make_pairs(campaign, ("CL", "love poetry", "en"))
    chile, argentina = crowd(campaign, "CL"), crowd(campaign, "AR")
    give_rating(chile[0], pair, 5, propensity=1 / 2)
    give_rating(chile[1], pair, 3, propensity=1 / 4)
    give_rating(argentina[0], pair, 2, propensity=1 / 10)
    give_rating(argentina[1], pair, 1, propensity=1 / 5)
    give_rating(argentina[2], pair, 5, propensity=None, tier="calibration")
    give_mention(chile[2], pair, "Love poetry!")
    give_skip(argentina[3], pair)
    (row,) = export(campaign)["pairs"]
    assert row["weighted_mean"] == pytest.approx(47 / 21)
    assert row["weighted_knowers"] == pytest.approx(16 / 21)
    assert (row["mean"], row["knowers"]) == (3.2, 0.8)
    assert row["variance"] == pytest.approx(2.56)
    assert (row["ratings"], row["support"], row["skips"]) == (5, 1, 1)
    assert (row["in_group_ratings"], row["in_group_mean"], row["out_group_ratings"]) == (2, 4.0, 3)
    assert row["out_group_mean"] == pytest.approx(8 / 3)
    told = (row["identity"], row["source"], row["k"], row["origin"])
    assert told == ("people from Chile", "river", 3, "seed")


def test_merged_pairs_count_as_one_and_each_person_once(campaign, crowd, export):
    chile = crowd(campaign, "CL")
    root = propose(chile[0], "CL", "love poetry")
    child = propose(chile[1], "CL", "like poems", moderation=Moderation.MERGED, merged_into=root)
    give_mention(chile[0], child, "poems")
    give_rating(chile[2], child, 1, minute=1)
    give_rating(chile[2], root, 5, minute=2)
    frames = export(campaign)
    (row,) = frames["pairs"]
    assert (row["support"], row["ratings"], row["mean"]) == (2, 1, 5.0)
    assert row["merged_ids"] == str(child.public_id)
    assert sorted((one["value"], one["counted"]) for one in frames["ratings"]) == [(1, False), (5, True)]
    assert {one["association_id"] for one in frames["ratings"]} == {str(root.public_id)}
    assert {one["shown_id"] for one in frames["ratings"]} == {str(root.public_id), str(child.public_id)}


def test_pairs_that_contributors_do_not_see_stay_with_all_answers(campaign, crowd, export, tmp_path):
    chile = crowd(campaign, "CL")
    hidden = propose(chile[0], "CL", "hidden pumpkins", moderation=Moderation.HIDDEN)
    propose(chile[0], "CL", "merged pumpkins", moderation=Moderation.MERGED, merged_into=hidden)
    pending = propose(chile[1], "CL", "pending pumpkins", moderation=Moderation.PENDING)
    give_rating(chile[2], hidden, 5)
    listed = MixedCard.objects.create(
        campaign=campaign,
        person=chile[2],
        kind="heard",
        country="CL",
        version=1,
        state="answered",
        drawn_at=timezone.now(),
        closed_at=timezone.now(),
    )
    for place, pair in enumerate((hidden, pending)):
        MixedAnswer.objects.create(card=listed, person=chile[2], pair=pair, position=place, answer="heard")
    frames = export(campaign)
    kinds = ("pairs", "ratings", "mentions", "skips", "mixed")
    assert [len(frames[name]) for name in kinds] == [0, 0, 0, 0, 0]
    written = "".join(
        path.read_text() for path in (tmp_path / "export").iterdir() if path.suffix != ".parquet"
    )
    assert "pumpkins" not in written


def test_people_of_rare_countries_have_no_key_and_no_group(campaign, crowd, make_pairs, export):
    (pair,) = make_pairs(campaign, ("UY", "drink mate", "en"))
    many, few = crowd(campaign, "AR", LEAST), crowd(campaign, "UY", LEAST - 1)
    for person in (*many, *few):
        give_rating(person, pair, 4, tier="own" if person in few else "near")
    give_rating(crowd(campaign, "CL", 1)[0], pair, 2)
    frames = export(campaign)
    assert Counter(row["country"] for row in frames["people"]) == {"AR": LEAST}
    alone = [row for row in frames["ratings"] if not row["rater"]]
    assert len(alone) == LEAST
    how = ("in_group", "tier", "slot", "pool", "propensity")
    assert {tuple(row[name] for name in how) for row in alone} == {(None, "", "", None, None)}
    assert {len(row["hour"]) for row in alone} == {len("2026-05-04")}
    (row,) = frames["pairs"]
    assert (row["ratings"], row["in_group_ratings"], row["out_group_ratings"]) == (2 * LEAST, 0, LEAST)
    assert (row["weighted_mean"], row["weighted_knowers"]) == (4, 1)


@pytest.mark.parametrize("now", [["AR"], []])
def test_an_origin_that_was_taken_back_is_not_read_off_the_cards(campaign, crowd, make_pairs, export, now):
    """Six people are Argentine now, but one was the only Uruguayan when they answered."""
    uruguay, chile, argentina = make_pairs(
        campaign, *((code, "drink mate", "en") for code in ("UY", "CL", "AR"))
    )
    crowd(campaign, "AR", origins=now)
    (changed,) = crowd(campaign, "UY", 1)
    give_rating(changed, uruguay, 5)
    give_rating(changed, chile, 1)
    changed.origins = now
    changed.save()
    give_rating(changed, argentina, 5)
    frames = export(campaign)
    assert not frames["people"]
    assert {(row["rater"], row["tier"], row["in_group"]) for row in frames["ratings"]} == {("", "", None)}


def test_nobody_reads_what_countries_somebody_feels_close_to(campaign, crowd, make_pairs, export):
    pairs = make_pairs(
        campaign, ("AR", "drink mate", "en"), ("UY", "drink mate", "en"), ("CL", "love poetry", "en")
    )
    person = crowd(campaign, "AR")[0]
    for pair, tier in zip(pairs, ("own", "near", "anyone"), strict=True):
        give_rating(person, pair, 4, tier=tier)
    Card.objects.update(pool=7, slot="near")
    shown = [(row["tier"], row["slot"], row["pool"]) for row in export(campaign)["ratings"]]
    assert sorted(shown, key=str) == [("other", "", None), ("other", "", None), ("own", "", 7)]


def test_who_was_interviewed_and_by_whom_is_given_up_where_few_share_it(make_campaign, make_person, export):
    campaign = make_campaign(interviewers=("I1", "I2"))
    people = [("AR", "")] * 5 + [("AR", "I1")] * 5 + [("CL", "")] * 5 + [("CL", "I1")] * 3
    people += [("UY", "I1")] * 3 + [("UY", "I2")] * 2
    for number, (country, interviewer) in enumerate(people):
        make_person(campaign, f"p{number}", origins=[country], interviewer=interviewer)
    rows = export(campaign)["people"]
    assert Counter((row["country"], row["mode"], row["interviewer"]) for row in rows) == {
        ("AR", "self", ""): 5,
        ("AR", "interview", "I1"): 5,
        ("CL", OTHER, OTHER): 8,
        ("UY", "interview", OTHER): 5,
    }


def test_region_names_countries_of_enough_people(campaign, crowd, export):
    chile, argentina = crowd(campaign, "CL"), crowd(campaign, "AR", LEAST + 1)
    pair = propose(chile[0], "CL", "love poetry")
    for person in (*chile[1:], *argentina[: LEAST - 1]):
        give_mention(person, pair, "love poetry")
    (row,) = export(campaign)["pairs"]
    assert (row["region"], row["support"]) == ("CL", 2 * LEAST - 1)


def test_only_declared_answers_are_exported(make_campaign, crowd, export):
    campaign = make_campaign(profile=(AGE,))
    crowd(campaign, "CL", extras={"age": "young", "shoes": "44"})
    crowd(campaign, "AR", extras={"age": "not a choice"})
    rows = export(campaign)["people"]
    assert Counter((row["country"], row["profile_age"]) for row in rows) == {
        ("CL", "young"): 5,
        ("AR", ""): 5,
    }


cells = st.tuples(
    st.sampled_from(["AR", "CL", "UY", ""]), st.sampled_from(["old", "young"]), st.sampled_from("12")
)


@given(st.lists(cells, max_size=40), st.integers(1, 6))
def test_no_combination_is_rarer_than_it_may_be(people, least):
    merged = merge_small_cells(people, least)
    sizes = Counter(merged)
    assert len(merged) == len(people)
    if len(people) >= least:
        assert all(size >= least for size in sizes.values())
    else:
        assert set(sizes) <= {(OTHER,) * 3}
    for before, after in zip(people, merged, strict=True):
        assert all(new in {old, OTHER} for old, new in zip(before, after, strict=True))
        assert after == (OTHER,) * 3 or after[0] == before[0]


def test_small_cells_give_up_the_last_column_first():
    people = (
        [("AR", "old")] * 5
        + [("AR", "young")] * 5
        + [("CL", "old")] * 3
        + [("CL", "young")] * 3
        + [("UY", "old")]
    )
    merged = Counter(merge_small_cells(people, 3))
    # One Uruguayan alone: the smallest other combinations join until three share it.
    assert merged == {("AR", "old"): 5, ("AR", "young"): 5, ("CL", "young"): 3, (OTHER, OTHER): 4}
    merged = Counter(merge_small_cells([("AR", "old")] * 5 + [("AR", "young")] * 2 + [("AR", "shy")] * 3, 5))
    assert merged == {("AR", "old"): 5, ("AR", OTHER): 5}


NASTY = ("=1+1", "+41 79", "-2+3", "@sum", "\t=1", " =1", "''=1", "\r=x", "\n=1", "＝1", '"=1')


def test_csv_is_safe_and_jsonl_is_raw(campaign, crowd, tmp_path):
    for person, text in zip(crowd(campaign, "CL", len(NASTY)), NASTY, strict=True):
        propose(person, "CL", text)
    export_campaign(campaign, tmp_path / "out")
    with (tmp_path / "out" / "mentions.csv").open(newline="", encoding="utf-8") as stream:
        assert {row["text"] for row in csv.DictReader(stream)} == {f"'{text}" for text in NASTY}
    lines = (tmp_path / "out" / "mentions.jsonl").read_text().splitlines()
    assert {json.loads(line)["text"] for line in lines} == set(NASTY)
    _, by_parquet = read_export(tmp_path / "out")
    export_campaign(campaign, tmp_path / "csv", formats=("csv",))
    _, by_csv = read_export(tmp_path / "csv")
    assert_frame_equal(by_csv["pairs"], by_parquet["pairs"])
    assert set(by_csv["mentions"]["text"]) == set(NASTY)


def test_checksums_card_and_columns(campaign, crowd, make_pairs, tmp_path):
    make_pairs(campaign, ("CL", "love poetry", "en"))
    crowd(campaign, "CL")
    report = export_campaign(campaign, tmp_path / "out")
    checked = subprocess.run(["sha256sum", "--check", "--quiet", CHECKSUMS], cwd=tmp_path / "out")
    assert checked.returncode == 0
    assert report.rows["pairs"] == 1
    card = (tmp_path / "out" / "README.md").read_text()
    for name, columns in TABLES.items():
        assert tuple(pl.read_parquet(tmp_path / "out" / f"{name}.parquet").columns) == tuple(
            c.name for c in columns
        )
        assert all(f"| `{column.name}` | {column.sentence} |" in card for column in columns)
    assert "| Chile | 5 |" in card
    assert (tmp_path / "out").stat().st_mode & 0o077 == 0
    assert not [row for row in check_file(tmp_path / "out" / "pairs.csv") if row.severity == "error"]
    with pytest.raises(UserError, match="is the table 'people' of a campaign"):
        check_file(tmp_path / "out" / "people.csv")
    with pytest.raises(UserError, match="has no rows: the campaign has no data of this kind"):
        check_file(tmp_path / "out" / "mixed.jsonl")
    with pytest.raises(UserError, match="is the table 'pairs' of a campaign, not sentence pairs"):
        recognise(tmp_path / "out" / "pairs.csv")


def test_an_earlier_working_copy_is_replaced_and_nothing_else(campaign, make_pairs, tmp_path):
    place = tmp_path / "out"
    export_campaign(campaign, place)
    make_pairs(campaign, ("CL", "love poetry", "en"))
    assert export_campaign(campaign, place).rows["pairs"] == 1
    (place / "notes.txt").write_text("mine")
    for folder, formats, sentence in (
        (place, ("csv",), r"was changed after the export \(notes\.txt\)"),
        (tmp_path, ("csv",), "holds other files"),
        (place / "notes.txt", ("csv",), "is a file"),
        (tmp_path / "x", ("xls",), r"Unknown format 'xls' \(available: csv, jsonl, parquet\)"),
    ):
        with pytest.raises(UserError, match=sentence):
            export_campaign(campaign, folder, formats=formats)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]
    (place / "pairs.parquet").write_bytes(b"no parquet")
    with pytest.raises(UserError, match=r"pairs\.parquet cannot be read"):
        read_export(place)
    with pytest.raises(UserError, match="is not an export of a campaign"):
        read_export(tmp_path)


def test_a_full_disk_is_one_sentence_and_leaves_nothing(campaign, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_ndjson", full)
    with pytest.raises(
        UserError, match=r"cannot be written: No space left on device\. Nothing was changed\.$"
    ):
        export_campaign(campaign, tmp_path / "out")
    assert not list(tmp_path.iterdir())


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.just('\x7f\\"\x00\U0001f600'))
def test_the_map_of_the_survey_is_valid_toml(identity):
    question = SurveyQuestion(name="cooks", axis="profession", text={"en": "What do people say of cooks?"})
    named = question.model_copy(update={"identity": identity})
    settings = CampaignSettings.model_construct(questions=(named,))
    (read,) = tomllib.loads(survey_map(settings))["question"]
    assert read.get("identity", "") == identity.lower()


def test_an_export_says_whether_words_were_visible_and_what_people_said_of_them(campaign, crowd, export):
    """Of a pair nobody judged: three opened and rated it, one rated it uncovered, one skipped it under its cover."""
    people = crowd(campaign, "AR", 6)
    pair = propose(people[5], "AR", "bailan tango", "es")
    ratings = [give_rating(person, pair, 3) for person in people[:4]]
    for rating, answer in zip(ratings, ("no", "yes", "unsure"), strict=False):
        give_hurt_answer(rating, answer)
    Card.objects.filter(pk=ratings[3].card_id).update(revealed="shown")
    Card.objects.filter(pk=give_skip(people[4], pair).card_id).update(revealed="covered")
    frames = export(campaign)
    assert Counter(row["revealed"] for row in frames["ratings"]) == {"revealed": 3, "shown": 1}
    assert [row["revealed"] for row in frames["skips"]] == ["covered"]
    assert sorted(row["answer"] for row in frames["hurt_answers"]) == ["no", "unsure", "yes"]
    assert {row["rater"] for row in frames["hurt_answers"]} <= {row["rater"] for row in frames["people"]}


def test_the_worked_example_of_the_manual(tmp_path, monkeypatch, capsys):
    """Ratings by one of two, four and twelve of one pair, and by one of twelve of another: weights 2, 4, 12 and 12.

    (2 x 5 + 4 x 4 + 12 x 2 + 12 x 2) / 30 = 74 / 30; the plain mean is 13 / 4. Cut at the 95 % point nothing changes,
    since more than one has the largest weight.
    """
    manual = (ROOT / "docs" / "collect" / "exports.md").read_text()
    code = [part.split("```")[0] for part in manual.split("```python\n")[1:]]
    rows = [
        ("a", 5, 1 / 2, False, "own"),
        ("a", 4, 1 / 4, False, "other"),
        ("a", 2, 1 / 12, False, "other"),
        ("b", 2, 1 / 12, False, "other"),
        ("b", 5, 1 / 12, True, "other"),
        ("b", 5, None, False, "calibration"),
    ]
    names = ("association_id", "value", "propensity", "surplus", "tier")
    ratings = pl.DataFrame(rows, schema=names, orient="row").with_columns(counted=True)
    (tmp_path / "export").mkdir()
    ratings.write_parquet(tmp_path / "export" / "ratings.parquet")
    monkeypatch.chdir(tmp_path)
    exec("\n".join(code[:2]), {})
    assert [float(line) for line in capsys.readouterr().out.split()] == pytest.approx(
        [74 / 30, 74 / 30], abs=1e-9
    )


def test_a_pair_without_ratings_or_propensities_has_empty_figures(campaign, crowd, make_pairs, export):
    make_pairs(campaign, ("CL", "love poetry", "en"))
    (drawn,) = make_pairs(campaign, ("CL", "sing", "en"))
    give_rating(crowd(campaign, "CL")[0], drawn, 4, propensity=None)
    rows = {row["attribute"]: row for row in export(campaign)["pairs"]}
    unrated, unweighted = rows["love poetry"], rows["sing"]
    assert unrated["ratings"] == 0
    assert {unrated[name] for name in ("mean", "variance", "weighted_mean", "knowers")} == {None}
    assert (unweighted["mean"], unweighted["weighted_mean"], unweighted["variance"]) == (4.0, None, None)
