"""The opening: the list of what a campaign needs, refusals, and what happens to the rehearsal."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from endoxa.errors import UserError
from endoxa_collect.models import AuditEntry, Campaign, JoinCode, Role, State
from endoxa_collect.organiser.opening import checklist, lacking, set_state
from endoxa_collect.organiser.settings import save
from endoxa_collect.sampler.slots import FULL

pytestmark = pytest.mark.slow

NOBODY = AnonymousUser()
ADDRESS = "/organise/river/open/"


@pytest.fixture
def rehearsed(make_campaign):
    campaign = make_campaign(retention="")
    Campaign.objects.update(began_at=None)
    return campaign


@pytest.fixture
def organiser(client, rehearsed, make_account):
    client.force_login(make_account("ana", rehearsed, Role.ORGANISER))
    return client


def with_day(campaign, day):
    version = campaign.versions.get()
    version.content = {**version.content, "retention": day}
    version.save()


@pytest.mark.parametrize("day", ["", "2020-01-31", "soon"])
def test_without_a_day_to_come_nothing_is_opened_or_erased(organiser, rehearsed, make_person, day):
    with_day(rehearsed, day)
    make_person(rehearsed)
    page = organiser.get(ADDRESS).content.decode()
    assert "Needed before you can open" in page
    assert 'class="button primary">Open the campaign' not in page
    assert organiser.post(ADDRESS, {"rehearsal": "erase"}).status_code == 409
    assert organiser.post(reverse("organiser:state", args=["river"]), {"state": "open"}).status_code == 400
    with pytest.raises(UserError, match="was not opened: set the last day"):
        set_state(rehearsed, State.OPEN, NOBODY)
    Campaign.objects.update(state=State.PAUSED)
    assert organiser.post(ADDRESS).status_code == 409
    rehearsed.refresh_from_db()
    assert (rehearsed.state, rehearsed.began_at, rehearsed.people.count()) == (State.PAUSED, None, 1)


@pytest.mark.parametrize(("choice", "people"), [("keep", 1), ("erase", 0)])
def test_the_organiser_says_what_happens_to_the_rehearsal(organiser, rehearsed, make_person, choice, people):
    with_day(rehearsed, "2099-12-31")
    make_person(rehearsed)
    page = organiser.post(ADDRESS).content.decode()
    assert "Please choose: erase the rehearsal, or keep it." in page
    rehearsed.refresh_from_db()
    assert rehearsed.began_at is None
    assert organiser.post(ADDRESS, {"rehearsal": choice}).status_code == 302
    rehearsed.refresh_from_db()
    assert rehearsed.began_at is not None
    assert rehearsed.people.count() == people
    assert AuditEntry.objects.filter(action="rehearsal erased").exists() == (choice == "erase")


def test_what_is_missing_before_people_come_is_named(rehearsed):
    with_day(rehearsed, "2099-12-31")
    before = [str(what) for what, _ in lacking(rehearsed)]
    assert before == ["Licence of the data", "Help lines", "seeds of your own", "Join code"]
    JoinCode.objects.create(campaign=rehearsed, code="RIVER222")
    save(rehearsed, 1, {"licence": "CC BY 4.0", "organisation": ""}, NOBODY)
    rehearsed.refresh_from_db()
    AuditEntry.objects.create(campaign=rehearsed, action="seeds added")
    assert [str(what) for what, _ in lacking(rehearsed)] == ["Who runs it", "Help lines"]


def test_languages_with_few_cards_are_named_with_their_number(make_campaign, make_pairs):
    """A set has eight cards: two of Spanish are too few, and so is what asks for no ratings any more."""
    campaign = make_campaign(ui_languages=("en", "es", "fr"), data_languages=("en", "es", "wo"))
    assert campaign.settings.sampler.break_after == 8
    make_pairs(campaign, *(("AR", f"sing {number}", "en") for number in range(8)))
    make_pairs(campaign, ("AR", "cantar", "es"), ("AR", "bailar", "es"))
    make_pairs(campaign, *(("AR", f"comer {number}", "es") for number in range(9)), need=FULL)
    make_pairs(campaign, *(("AR", f"beber {number}", "es") for number in range(9)), moderation="pending")
    languages = next(check for check in checklist(campaign) if check.name == "Languages of the pages")
    cards = "English (8), Spanish (2), French (0), Wolof (0)"
    few = "Spanish (2), French (0); a set has 8 cards"
    assert languages.now == f"Cards for somebody who reads one language: {cards}"
    assert not languages.fine
    assert languages.missing == f"pairs in these languages of the pages: {few}"
