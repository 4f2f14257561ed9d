"""People who agreed to other terms than those in force are asked again; until then no export holds what they gave."""

from datetime import date

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from collect_support.samples import TICKS
from collect_support.stored import stored_rating
from endoxa_collect.anonymous import new_ticket
from endoxa_collect.export.run import export_campaign
from endoxa_collect.models import AuditEntry, Card, Mention, Pair, Person, Rating, Role, Source
from endoxa_collect.organiser.settings import save, save_from_file
from endoxa_collect.presets import load_preset
from endoxa_collect.privacy import expire
from endoxa_collect.terms import changed_for, waiting_for_consent

pytestmark = pytest.mark.slow

NOBODY = AnonymousUser()


def texts_with(campaign, **changed):
    texts = campaign.settings.model_dump(mode="json")["texts"]
    for name, words in changed.items():
        texts[name] = {**texts[name], **words}
    return {"texts": texts}


def change(campaign, **content):
    save(campaign, campaign.version, content, NOBODY)
    campaign.refresh_from_db()


def ticks(campaign, **more):
    return {"ticket": new_ticket(), "version": str(campaign.settings.consent_version), **TICKS, **more}


@pytest.mark.parametrize(
    ("content", "asked"),
    [
        ({"licence": "CC0"}, ("licence",)),
        ({"retention": "2199-12-31"}, ("retention",)),
        ({"retention": "2098-12-31"}, ()),
        ({"organisation": "Sea Lab"}, ("organisation",)),
        ({"minimum_age": 21}, ("minimum_age",)),
        ({"minimum_age": 16}, ()),
        ({"maximum_age": 60}, ("maximum_age",)),
        ({"contact": "555"}, ()),
        ({"minutes": 45}, ()),
    ],
)
def test_which_settings_ask_again(campaign, make_person, content, asked):
    make_person(campaign)
    change(campaign, **content)
    assert changed_for(Person.objects.get()) == asked


@pytest.mark.parametrize("name", ["publication", "keep_words"])
def test_a_changed_text_asks_those_who_read_it_in_that_language(make_campaign, make_person, name):
    """By a page, and by a preset that was mended."""
    mended = load_preset("school").settings.model_dump(mode="json")
    read = {**mended["texts"], name: {**mended["texts"][name], "es": "Como decía antes."}}
    campaign = make_campaign(**{**mended, "organisation": "River Lab", "contact": "555", "texts": read})
    one, two = (make_person(campaign, who, consent_language=who) for who in ("es", "fr"))
    assert save_from_file(campaign, {"texts": mended["texts"]}, "school.toml") == []
    campaign.refresh_from_db()
    assert campaign.settings.consent_version == 2
    assert waiting_for_consent(campaign) == {one.pk}
    assert changed_for(Person.objects.get(pk=one.pk)) == (name,)
    assert changed_for(Person.objects.get(pk=two.pk)) == ()
    released = name == "publication"
    assert waiting_for_consent(campaign, of_a_release=True) == ({one.pk} if released else frozenset())
    change(campaign, **texts_with(campaign, **{name: {"fr": "autre chose", "sw": "mpya"}}))
    assert waiting_for_consent(campaign) == {one.pk, two.pk}


def test_before_the_next_card_people_see_what_changed_and_agree(as_person, campaign, make_person, make_pairs):
    make_pairs(campaign, ("AR", "sing", "en"))
    person = make_person(campaign, keep_words=True)
    phone = as_person(person)
    token = Card.objects.get(pk=phone.get("/card/").context["card"].pk).token
    change(campaign, licence="CC0 1.0")
    # What was in the hand is taken; the next page asks.
    assert phone.post(f"/card/{token}/rate/", {"value": 4}).status_code == 302
    assert Rating.objects.count() == 1
    for page in ("/card/", "/pause/", "/profile/"):
        assert phone.get(page)["Location"] == "/agree/"
    page = phone.get("/agree/").content.decode()
    assert "CC0 1.0" in page
    assert "Leave and delete my data" in page
    assert phone.get("/leave/").status_code == 200
    missing = {key: value for key, value in ticks(campaign).items() if key != "publication"}
    assert phone.post("/agree/", missing).status_code == 200
    assert Person.objects.get().consent_version == 1
    stale = phone.post("/agree/", {**ticks(campaign), "version": "1"}).content.decode()
    assert "This text was changed while you were reading it" in stale
    hour = Person.objects.get().consent_hour
    assert phone.post("/agree/", ticks(campaign)).status_code == 302
    after = Person.objects.get()
    assert (after.consent_version, after.keep_words) == (2, False)
    assert after.earlier_consents == [{"version": 1, "language": "en", "hour": hour.isoformat()}]
    assert phone.get("/card/").status_code == 200 or phone.get("/card/")["Location"] != "/agree/"
    assert phone.post("/agree/", ticks(campaign)).status_code == 302
    assert len(Person.objects.get().earlier_consents) == 1


def exported(campaign, folder):
    export_campaign(campaign, folder, formats=("csv",))
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.csv")}, (
        folder / "README.md"
    ).read_text()


def test_no_export_holds_what_was_given_under_other_terms(campaign, make_person, make_pairs, tmp_path):
    (seed,) = make_pairs(campaign, ("AR", "sing", "en"))
    (own,) = make_pairs(campaign, ("AR", "whistle at dawn", "en"), source=Source.CONTRIBUTOR)
    early = make_person(campaign, "ana")
    Pair.objects.filter(pk=own.pk).update(author=early)
    Mention.objects.create(person=early, pair=own, text="whistle at dawn", via="prompt")
    stored_rating(early, seed, 4, timezone.now())
    before, _ = exported(campaign, tmp_path / "before")
    assert before["ratings"].count("\n") == 2
    assert "whistle at dawn" in before["pairs"]
    change(campaign, licence="CC0 1.0")
    after, card_text = exported(campaign, tmp_path / "after")
    assert [after[name].count("\n") for name in ("ratings", "mentions", "people")] == [1, 1, 1]
    assert "whistle at dawn" not in after["pairs"]
    assert "sing" in after["pairs"]
    assert "All that 1 people gave: the terms changed" in card_text
    # A later day of deletion is no term of a release.
    change(campaign, licence="", retention="2199-12-31")
    again, _ = exported(campaign, tmp_path / "again")
    assert again["ratings"].count("\n") == 2


def test_a_day_that_was_moved_holds_for_those_who_agree(campaign, make_person):
    make_person(campaign, "ana")
    change(campaign, retention="2199-12-31")
    make_person(campaign, "ben", consent_version=2)
    assert expire(campaign, date(2100, 1, 1)).people == 1
    assert expire(campaign, date(2100, 1, 1)).people == 0
    campaign.refresh_from_db()
    assert campaign.state == "open"
    assert Person.objects.filter(receipt_hash__startswith="expired-").get().consent_version == 1


def test_the_organiser_says_whether_other_words_mean_the_same(client, campaign, make_person, make_account):
    make_person(campaign)
    client.force_login(make_account("ana", campaign, Role.ORGANISER))
    page = client.get("/organise/river/settings/texts/")
    sent = {
        field.html_name: field.value() if field.value() is not None else "" for field in page.context["form"]
    } | {"base": "1"}
    sent["about-en"] = "about in plain English"
    asked = client.post("/organise/river/settings/texts/", {**sent, "sure": "on"}).content.decode()
    assert "Do people have to agree once more?" in asked
    client.post("/organise/river/settings/texts/", {**sent, "sure": "on", "terms": "same"})
    campaign.refresh_from_db()
    assert (campaign.version, campaign.settings.consent_version) == (2, 1)
    assert AuditEntry.objects.get(action="settings saved").detail["means_the_same"] is True
    assert changed_for(Person.objects.get()) == ()
