"""Laws of exports: what comes back is what went out, and what was withdrawn is nowhere."""

from __future__ import annotations

import polars as pl
import pytest
from django.apps import apps

from collect_support.filled_campaign import fill, give_rating, propose
from endoxa.errors import UserError
from endoxa.sources.collected import read_withdrawals, respecting_withdrawals
from endoxa.sources.files import changed_file
from endoxa.sources.frames import read_table
from endoxa_collect.campaign import ProfileField, SurveyQuestion
from endoxa_collect.export.columns import TABLES
from endoxa_collect.export.folder import FORMATS, read_export
from endoxa_collect.export.run import export_campaign, patch_release
from endoxa_collect.models import Pair, Person, Release
from endoxa_collect.privacy import withdraw

AGE = ProfileField(
    name="age", label={"en": "Age"}, purpose={"en": "To compare"}, choices={"young": {}, "old": {}}
)
WOMEN = SurveyQuestion(name="women", axis="gender", identity="women", text={"en": "What do people say?"})


@pytest.fixture
def busy(make_campaign, make_person):
    """A function that makes a campaign in which much has happened."""

    def make(seed, slug="river"):
        campaign = make_campaign(slug, profile=(AGE,), survey=True, questions=(WOMEN,))
        people, pairs = fill(campaign, make_person, seed)
        return campaign, people, pairs

    return make


@pytest.mark.slow
def test_what_is_no_export_is_refused(busy, tmp_path):
    campaign, *_ = busy(1)
    export_campaign(campaign, tmp_path / "one")
    (tmp_path / "one" / "pairs.parquet").write_bytes(b"no parquet")
    with pytest.raises(UserError, match=r"pairs\.parquet cannot be read"):
        read_export(tmp_path / "one")
    with pytest.raises(UserError, match="is not an export of a campaign"):
        read_export(tmp_path)


def everything():
    """The text of every cell of every table."""
    return "\n".join(
        str(field.value_from_object(row))
        for model in apps.get_models()
        for row in model.objects.all()
        for field in model._meta.concrete_fields
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_withdrawal_leaves_no_trace_in_any_table_or_export(busy, make_person, tmp_path, seed):
    campaign, people, pairs = busy(seed)
    person = make_person(campaign, "the one who leaves", connections=["PY"], topic_optouts=["zeppelins"])
    propose(person, "AR", "collect zeppelins")
    shared = propose(person, "CL", "paint zeppelins")
    shared.mention_rows.create(person=people[0], text="paint airships", via="attribute")
    give_rating(person, pairs[5], 5)
    person.statements.create(
        campaign=campaign, question="women", axis="gender", language="en", text="Women fly zeppelins"
    )
    ids = [str(row.public_id) for rows in (person.ratings, person.mentions) for row in rows.all()]
    assert "zeppelins" in everything()
    withdraw(person)
    left = everything()
    for needle in ("zeppelins", str(person.pk), person.pk.hex, person.secret_hash, person.receipt_hash):
        assert needle not in left
    export_campaign(campaign, tmp_path / "out", formats=("csv", "jsonl"))
    for path in (tmp_path / "out").iterdir():
        text = path.read_text()
        assert "zeppelins" not in text
        if path.stem != "withdrawals":
            assert not any(name in text for name in ids)


@pytest.mark.slow
def test_a_release_never_changes_and_people_have_other_keys_in_each(busy, tmp_path):
    campaign, *_ = busy(2)
    first = export_campaign(campaign, tmp_path / "a", release="1.0")
    assert Release.objects.get().sha256 == first.sha256
    with pytest.raises(UserError, match=r"Release 1\.0 was made before"):
        export_campaign(campaign, tmp_path / "b", release="1.0")
    assert not (tmp_path / "b").exists()
    with pytest.raises(UserError, match="holds a release, which never changes"):
        export_campaign(campaign, tmp_path / "a")
    with pytest.raises(UserError, match="Invalid release number"):
        export_campaign(campaign, tmp_path / "b", release="one")
    export_campaign(campaign, tmp_path / "c", release="1.1")
    raters = [set(pl.read_parquet(tmp_path / name / "people.parquet")["rater"]) for name in "ac"]
    assert raters[0]
    assert not raters[0] & raters[1]


@pytest.mark.slow
def test_a_patch_only_drops_rows(busy, make_person, tmp_path):
    campaign, people, _ = busy(5)
    export_campaign(campaign, tmp_path / "one", release="1.0")
    linked = next(one for one in people if one.origins == ["AR"] and one.ratings.exists())
    gone = withdraw(linked)
    assert gone.ratings
    late = make_person(campaign, "late", origins=["AR"])
    give_rating(late, Pair.objects.filter(moderation="live").first(), 3)
    report = patch_release(campaign, tmp_path / "one", tmp_path / "two")
    assert report.release == "1.0.1"
    assert changed_file(tmp_path / "two") is None
    for name in set(TABLES) - {"withdrawals", "pairs"}:
        before, after = (pl.read_parquet(tmp_path / folder / f"{name}.parquet") for folder in ("one", "two"))
        assert after.join(before, on=before.columns, how="anti", nulls_equal=True).is_empty()
    people_frames = [pl.read_parquet(tmp_path / name / "people.parquet") for name in ("one", "two")]
    assert people_frames[1].height == people_frames[0].height - 1
    ratings = pl.read_parquet(tmp_path / "two" / "ratings.parquet").filter("counted")
    counted = dict(ratings.group_by("association_id").len().iter_rows())
    pairs = pl.read_parquet(tmp_path / "two" / "pairs.parquet")
    assert {
        row["association_id"]: row["ratings"] for row in pairs.iter_rows(named=True) if row["ratings"]
    } == counted
    with pytest.raises(UserError, match="is not a release"):
        patch_release(campaign, tmp_path, tmp_path / "three")
    (tmp_path / "one" / "README.md").write_text("changed")
    Release.objects.filter(number="1.0.1").delete()
    with pytest.raises(UserError, match="is not as it was released"):
        patch_release(campaign, tmp_path / "one", tmp_path / "three")


@pytest.mark.slow
def test_a_loader_drops_what_was_withdrawn_after_the_release(busy, tmp_path, caplog):
    campaign, people, _ = busy(6)
    export_campaign(campaign, tmp_path / "published", release="1.0")
    person = next(one for one in people if one.ratings.exists() and one.mentions.exists())
    gone = {str(one.public_id) for one in person.ratings.all()}
    before = {kind: read_table(tmp_path / "published" / f"ratings.{kind}") for kind in FORMATS}
    assert gone & set(before["csv"]["row_id"])
    withdraw(person)
    export_campaign(campaign, tmp_path / "now")
    newer = tmp_path / "now" / "withdrawals.csv"
    dropped = respecting_withdrawals(before["csv"], read_withdrawals(newer))
    assert not gone & set(dropped["row_id"])
    (tmp_path / "published" / "withdrawals.csv").write_bytes(newer.read_bytes())
    caplog.set_level("WARNING")
    for kind in FORMATS:
        read = read_table(tmp_path / "published" / f"ratings.{kind}")
        assert set(read["row_id"]) == set(dropped["row_id"])
    assert "were withdrawn by the people who gave them" in caplog.text
    whole = read_table(tmp_path / "published" / "ratings.csv", respect_withdrawals=False)
    assert whole.height == before["csv"].height


@pytest.mark.slow
def test_only_declared_columns_and_answers_leave(busy, tmp_path):
    campaign, *_ = busy(8)
    Person.objects.filter(campaign=campaign).update(languages=["sw"], connections=["PY"])
    export_campaign(campaign, tmp_path / "out", formats=("csv", "jsonl"))
    for path in (tmp_path / "out").iterdir():
        text = path.read_text()
        assert "secret" not in text.replace("export.json", "")
        assert "PY" not in text
    for person in Person.objects.filter(campaign=campaign):
        joined = "".join(path.read_text() for path in (tmp_path / "out").iterdir())
        assert str(person.pk) not in joined
        assert person.secret_hash not in joined
