"""Laws of exports: what comes back is what went out, and what was withdrawn is nowhere."""

from __future__ import annotations

import random
from collections import Counter

import polars as pl
import pytest
from django.apps import apps
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from collect_support.filled_campaign import fill, give_mention, give_rating, give_skip, propose
from endoxa.errors import UserError
from endoxa.sources.files import changed_file
from endoxa_collect.campaign import ProfileField, SurveyQuestion
from endoxa_collect.entry.proposing import merge
from endoxa_collect.export.columns import LEAST, TABLES
from endoxa_collect.export.folder import read_export
from endoxa_collect.export.run import export_campaign, patch_release
from endoxa_collect.models import AuditEntry, Pair, Person, Release
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


def everything():
    """The text of every cell of every table."""
    return "\n".join(
        str(field.value_from_object(row))
        for model in apps.get_models()
        for row in model.objects.all()
        for field in model._meta.concrete_fields
    )


class Room:
    """What seven people did, noted here as well: words by person and pair, and who rated which pair."""

    def __init__(self, campaign, people):
        self.campaign, self.people, self.pairs = campaign, people, []
        self.words, self.raters, self.merged = {}, set(), set()

    def said(self, which):
        """Who said a pair, or one that it is merged with: of two words of one person there, one is exported."""
        root = 0 if which in self.merged else which
        return {who for who, pair in self.words if (0 if pair in self.merged else pair) == root}

    def act(self, kind, who, which):
        """One thing that somebody does with one of the pairs; what cannot be done twice is not."""
        person, text = self.people[who], f"quokka{len(self.words)}x"
        if kind == "propose" or not self.pairs:
            which = len(self.pairs)
            self.pairs.append(propose(person, "AR", text))
            self.words[who, which] = text
            return
        which %= len(self.pairs)
        pair = self.pairs[which]
        if kind == "mention" and who not in self.said(which):
            give_mention(person, pair, text)
            self.words[who, which] = text
        elif kind == "rate" and (who, which) not in self.raters:
            give_rating(person, pair, 4)
            self.raters.add((who, which))
        elif kind == "merge" and which not in {0, *self.merged} and not self.said(0) & self.said(which):
            merge(pair, self.pairs[0])
            pair.refresh_from_db()
            self.merged.add(which)
        elif kind == "state" and not person.statements.exists():
            facts = {"question": "women", "axis": "gender", "language": "en"}
            person.statements.create(campaign=self.campaign, text=text, **facts)
            self.words[who, f"statement {len(self.words)}"] = text


ACTS = st.tuples(
    st.sampled_from(("propose", "mention", "rate", "merge", "state")), st.integers(0, 6), st.integers(0, 4)
)


@pytest.mark.slow
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(acts=[("propose", 0, 0), ("propose", 1, 0), ("mention", 0, 1), ("propose", 0, 0)], leaving={1})
@given(
    acts=st.lists(ACTS, min_size=6, max_size=20), leaving=st.sets(st.integers(0, 6), min_size=1, max_size=3)
)
def test_no_table_export_or_patch_shows_a_withdrawn_word(
    make_campaign, make_person, tmp_path_factory, acts, leaving
):
    """Export, withdraw, export: words go with their author, but for pairs that others rated and nobody reworded."""
    folder = tmp_path_factory.mktemp("words")
    with transaction.atomic():
        campaign = make_campaign(survey=True, questions=(WOMEN,))
        people = [
            make_person(campaign, f"person {n}", origins=["AR"], topic_optouts=[f"zebu{n}x"])
            for n in range(7)
        ]
        room = Room(campaign, people)
        for act in acts:
            room.act(*act)
        export_campaign(campaign, folder / "one", release="1.0", formats=("csv", "jsonl"))
        before = everything()
        assert all(word in before for word in room.words.values())
        gone = [people[who] for who in leaving]
        rows = {
            str(row.public_id) for one in gone for kept in (one.ratings, one.mentions) for row in kept.all()
        }
        for person in gone:
            withdraw(person)
        stay = {which for who, which in room.words if who not in leaving}
        rated = {which for who, which in room.raters if who not in leaving}
        withdrawn = {word: which for (who, which), word in room.words.items() if who in leaving}
        left = everything()
        for person, who in zip(gone, leaving, strict=True):
            hashes = (str(person.pk), person.pk.hex, person.secret_hash, person.receipt_hash)
            assert not [trace for trace in (*hashes, f"zebu{who}x") if trace in left]
        export_campaign(campaign, folder / "two", formats=("csv", "jsonl"))
        patch_release(campaign, folder / "one", folder / "three")
        for name in ("two", "three"):
            files = {
                path.stem: path.read_text() for path in (folder / name).iterdir() if path.suffix != ".parquet"
            }
            text = "".join(files.values())
            shown = {withdrawn[word] for word in withdrawn if word in text + left}
            assert shown <= rated - stay
            # Nothing of those who stay goes with them.
            said = [word for (who, which), word in room.words.items() if who not in leaving]
            assert all(word in text for word in said)
            del files["withdrawals"]
            assert not [row for row in rows if row in "".join(files.values())]
        transaction.set_rollback(True)


@pytest.mark.slow
def test_a_release_never_changes_and_people_have_other_keys_in_each(busy, tmp_path):
    campaign, *_ = busy(2)
    first = export_campaign(campaign, tmp_path / "a", release="1.0")
    assert Release.objects.get().sha256 == first.sha256
    for name, number, sentence in (
        ("b", "1.0", r"Release 1\.0 was made before"),
        ("b", "one", "Invalid release number"),
        ("a", None, "holds a release, which never changes"),
    ):
        with pytest.raises(UserError, match=sentence):
            export_campaign(campaign, tmp_path / name, release=number)
    assert not (tmp_path / "b").exists()
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
    logged = AuditEntry.objects.exclude(action="withdrawal").order_by("pk")
    assert [(one.action, one.detail["release"]) for one in logged] == [
        ("release", "1.0"),
        ("release", "1.0.1"),
    ]
    assert changed_file(tmp_path / "two") is None
    for name in set(TABLES) - {"withdrawals", "pairs"}:
        before, after = (pl.read_parquet(tmp_path / folder / f"{name}.parquet") for folder in ("one", "two"))
        assert after.join(before, on=before.columns, how="anti", nulls_equal=True).is_empty()
    people_frames = [pl.read_parquet(tmp_path / name / "people.parquet") for name in ("one", "two")]
    assert people_frames[1].height == people_frames[0].height - 1
    ratings = pl.read_parquet(tmp_path / "two" / "ratings.parquet").filter("counted")
    counted = dict(ratings.group_by("association_id").len().iter_rows())
    pairs = pl.read_parquet(tmp_path / "two" / "pairs.parquet")
    assert dict(pairs.filter(pl.col("ratings") > 0)["association_id", "ratings"].iter_rows()) == counted
    (tmp_path / "one" / "README.md").write_text("changed")
    Release.objects.filter(number="1.0.1").delete()
    for folder, sentence in ((tmp_path, "is not a release"), (tmp_path / "one", "is not as it was released")):
        with pytest.raises(UserError, match=sentence):
            patch_release(campaign, folder, tmp_path / "three")


@pytest.mark.slow
def test_only_declared_columns_and_answers_leave(busy, tmp_path):
    campaign, *_ = busy(8)
    Person.objects.filter(campaign=campaign).update(languages=["sw"], connections=["PY"])
    export_campaign(campaign, tmp_path / "out", formats=("csv", "jsonl"))
    text = "".join(path.read_text() for path in (tmp_path / "out").iterdir())
    assert "secret" not in text.replace("export.json", "")
    assert "PY" not in text
    for person in Person.objects.filter(campaign=campaign):
        assert str(person.pk) not in text
        assert person.secret_hash not in text


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_patch_links_nothing_that_a_new_export_would_not(make_campaign, make_person, tmp_path, seed):
    """People leave at random, twice; a patch of the patch is made, too."""
    chance = random.Random(seed)
    campaign = make_campaign(profile=(AGE,))
    countries = ("AR", "AR", "CL", "CL", "UY", "BR")
    people = [
        make_person(
            campaign,
            f"p{number}",
            origins=[chance.choice(countries)],
            extras={"age": chance.choice(("young", "old"))},
        )
        for number in range(26)
    ]
    pair = propose(people[0], "AR", "love poetry")
    for person in people:
        give_rating(person, pair, 4)
    export_campaign(campaign, tmp_path / "0", release="1.0")
    for patch in (1, 2):
        for person in chance.sample(people, 6):
            people.remove(person)
            withdraw(person)
        patch_release(campaign, tmp_path / str(patch - 1), tmp_path / str(patch))
        export_campaign(campaign, tmp_path / "fresh")
        (about, patched), (_, fresh) = read_export(tmp_path / str(patch)), read_export(tmp_path / "fresh")
        unlinked, unlinked_now = (
            set(frames["ratings"].filter(rater="")["row_id"]) for frames in (patched, fresh)
        )
        assert unlinked >= unlinked_now
        together = Counter(patched["people"].drop("rater").iter_rows())
        assert all(count >= LEAST for count in together.values())
        assert patched["people"].height + about.left_out.people == len(people)
        assert not patched["people"].height or about.left_out.people == 0 or about.left_out.people >= LEAST


@pytest.mark.slow
def test_what_was_merged_into_a_pair_that_went_stays_in_the_patch(campaign, make_person, tmp_path):
    ana, ben, *others = (make_person(campaign, f"p{n}") for n in range(LEAST + 2))
    root = propose(ana, "AR", "love cats")
    child = propose(ben, "AR", "adore cats")
    grandchild = propose(others[0], "AR", "like cats")
    for person in others:
        give_rating(person, child, 4)
    give_skip(ben, grandchild)
    merge(grandchild, child)
    merge(child, root)
    give_mention(others[1], child, "adore any cat")
    export_campaign(campaign, tmp_path / "one", release="1.0")
    withdraw(ana)
    patch_release(campaign, tmp_path / "one", tmp_path / "two")
    export_campaign(campaign, tmp_path / "fresh")
    (_, patched), (_, fresh) = read_export(tmp_path / "two"), read_export(tmp_path / "fresh")
    assert "love cats" not in (tmp_path / "two" / "pairs.csv").read_text()
    (pair,) = patched["pairs"].to_dicts()
    assert (pair["association_id"], pair["attribute"]) == (str(child.public_id), "adore cats")
    assert (pair["ratings"], pair["support"], pair["skips"]) == (LEAST, 3, 1)
    assert patched["pairs"].equals(fresh["pairs"])
    for name in ("ratings", "mentions", "skips"):
        assert set(patched[name]["association_id"]) == {str(child.public_id)}
        assert patched[name].drop("rater").equals(fresh[name].drop("rater"))
