"""Who may open what: every address of the resolver as everybody."""

from __future__ import annotations

import pytest
from django.http import Http404, HttpResponse
from django.test import Client

from collect_support.site_map import JUDGE, PUBLIC_TO_ACCOUNTS, addresses, snapshot
from endoxa_collect.access import Door, allowed
from endoxa_collect.anonymous import PANEL_COOKIE as JUDGE_COOKIE
from endoxa_collect.models import Act, Pair, Role, State
from endoxa_collect.organiser.decisions import GoneError, revision, undo
from endoxa_collect.security.codes import COOKIE

ALL = addresses()
ACCOUNTS = [one for one in ALL if one.name.startswith("organiser:") and one.name not in PUBLIC_TO_ACCOUNTS]
CAMPAIGNS = [one for one in ALL if one.of_a_campaign]
CONTRIBUTORS = [one for one in ALL if one.name.startswith("contributor:")]
OPEN_TO_STRANGERS = {
    "contributor:home",
    "contributor:language",
    "contributor:join",
    "contributor:decline",
    "contributor:declined",
    "contributor:privacy",
    "contributor:guardian",
    "contributor:help",
    "contributor:leave",
    "contributor:no_network",
    "contributor:left",
    "contributor:results",
    "contributor:results_of",
    "contributor:resume",
    "contributor:data",
    "contributor:data_archive",
    "contributor:data_card",
    "contributor:worker",
}
PANEL = [one for one in ALL if one.name.startswith("panel:")]
PANEL_OPEN_TO_STRANGERS = {"panel:start", "panel:declined", "panel:deleted"}
SIGN_IN = "/organise/login/"
EVERYBODY = "moderator organiser researcher reviewer"
ROLES = {
    "all_pairs": "moderator organiser reviewer",
    "audit": "organiser",
    "balance": "organiser",
    "code_add": "organiser",
    "code_poster": "organiser",
    "code_qr": EVERYBODY,
    "code_name": "organiser",
    "codes": "organiser",
    "dashboard": EVERYBODY,
    "people": "moderator organiser",
    "person": "moderator organiser",
    "dashboard_live": EVERYBODY,
    "export_download": "organiser researcher",
    "export_release": "organiser",
    "export_restricted": "organiser",
    "exports": "organiser researcher",
    "moderation": "moderator organiser reviewer",
    "moderation_act": "moderator organiser",
    "moderation_many": "moderator organiser",
    "moderation_item": "moderator organiser reviewer",
    "moderation_next": "moderator organiser",
    "moderation_undo": "moderator organiser",
    "moderation_words": "moderator organiser reviewer",
    "opening": "organiser",
    "projector": EVERYBODY,
    "projector_invitation": EVERYBODY,
    "projector_live": EVERYBODY,
    "rehearsal": "organiser",
    "seeds": "organiser",
    "seeds_add": "organiser",
    "settings": "organiser",
    "settings_section": "organiser",
    "settings_versions": "organiser",
    "state": "organiser",
    "task": "moderator organiser reviewer",
    "task_add": "organiser",
    "task_begin": "moderator organiser reviewer",
    "task_judge": "moderator organiser reviewer",
    "task_undo": "moderator organiser reviewer",
    "tasks": EVERYBODY,
    "turnout": "organiser",
}
"""Written out, so that a page that is opened to more people by mistake is seen."""


@pytest.fixture
def as_contributor(world):
    client = Client()
    client.cookies[COOKIE] = world.person.cookie
    return client


def as_account(world, name):
    client = Client()
    client.force_login(world.accounts[name])
    return client


def test_the_site_has_pages():
    assert len(ACCOUNTS) > 15
    assert len(CONTRIBUTORS) > 15
    assert len(PANEL) == 8


def test_every_page_of_people_says_to_whom_it_is_open():
    open_to = {one.name: getattr(one.view, "roles", ()) for one in [*CONTRIBUTORS, *PANEL]}
    # These two modules show what is published, to everybody.
    published = {name for name in open_to if name.startswith(("contributor:results", "contributor:data"))}
    assert {name for name, doors in open_to.items() if len(doors) != 1} <= published
    strangers = {Door.ANYBODY, Door.CODE, Door.TASK}
    opened = {name for name, doors in open_to.items() if strangers & set(doors)}
    # Of everybody's pages this one shows nothing to strangers.
    assert opened - {"contributor:receipt"} == (OPEN_TO_STRANGERS | PANEL_OPEN_TO_STRANGERS) - published


def test_a_page_that_says_nothing_is_open_to_nobody(rf, world):
    page = allowed()(lambda request, campaign: HttpResponse("secret"))
    request = rf.get("/")
    request.user = world.accounts[Role.ORGANISER]
    with pytest.raises(Http404):
        page(request, slug="river")


def test_every_page_of_a_campaign_names_its_roles():
    named = {one.name: " ".join(sorted(getattr(one.view, "roles", ()))) for one in CAMPAIGNS}
    assert named == {f"organiser:{name}": roles for name, roles in ROLES.items()}


@pytest.mark.parametrize("method", ["get", "post"])
def test_strangers_and_contributors_are_sent_to_sign_in(world, as_contributor, method):
    before = snapshot()
    for client in (Client(), as_contributor):
        for one in ACCOUNTS:
            response = getattr(client, method)(one.at(world.known))
            assert response.status_code == 302, one.name
            assert response.headers["Location"].startswith(SIGN_IN), one.name
    assert snapshot() == before


@pytest.mark.slow
@pytest.mark.parametrize("name", [*Role, "elsewhere", "nothing"])
def test_accounts_open_only_what_their_role_allows(world, name):
    client = as_account(world, name)
    for one in CAMPAIGNS:
        status = client.get(one.at(world.known)).status_code
        if name in one.view.roles:
            assert status in {200, 302, 405}, (one.name, status)
        else:
            assert status == 404, (one.name, status)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*Role, "elsewhere", "nothing"])
def test_accounts_change_nothing_without_the_role(world, name):
    client = as_account(world, name)
    before = snapshot("Session")
    for one in CAMPAIGNS:
        if name not in one.view.roles:
            assert client.post(one.at(world.known), {"state": "closed"}).status_code == 404, one.name
    assert snapshot("Session") == before


MAY_ACT = {
    "all_pairs": "moderator organiser",
    "audit": "",
    "codes": "organiser",
    "exports": "organiser",
    "seeds": "organiser",
    "tasks": "organiser researcher",
}
"""Who may do something with the rows of a list; the others who see it only look."""


@pytest.mark.parametrize("name", Role)
def test_who_may_only_look_at_a_list_sends_nothing(world, name):
    client = as_account(world, name)
    for page, roles in MAY_ACT.items():
        (one,) = (one for one in CAMPAIGNS if one.name == f"organiser:{page}")
        assert (client.post(one.at(world.known)).status_code == 404) is (name.value not in roles.split()), (
            page
        )


@pytest.mark.slow
def test_an_organiser_opens_every_page(world):
    """So that the other tests walk to pages that are there."""
    client = as_account(world, Role.ORGANISER)
    statuses = {one.name: client.get(one.at(world.known)).status_code for one in CAMPAIGNS}
    assert {name: status for name, status in statuses.items() if status not in {200, 405}} == {}


FOREIGN = ["code_name", "code_poster", "code_qr", "moderation_act", "moderation_item", "moderation_undo"]


@pytest.mark.slow
@pytest.mark.parametrize("name", FOREIGN)
def test_ids_of_another_campaign_lead_nowhere(world, name):
    """The account has every role, but in another campaign than the code, pair or decision of the address."""
    (page,) = (one for one in CAMPAIGNS if one.name == f"organiser:{name}")
    pair = Pair.objects.get(public_id=world.known["item"])
    act = Act.objects.create(
        pair=pair, user=world.accounts["elsewhere"], action="hide", before={"moderation": "waiting"}
    )
    sent = {"action": "hide", "seen": revision(pair)}
    own = page.at({**world.known, "act": act.public_id})
    foreign = page.at({**world.known, "act": act.public_id, "slug": world.other.slug})
    client, before = as_account(world, "elsewhere"), snapshot("Session")
    assert client.get(foreign).status_code in {404, 405}
    assert client.post(foreign, sent).status_code in {404, 405}
    assert snapshot("Session") == before
    # The same leads somewhere for those whose campaign it is.
    organiser = as_account(world, Role.ORGANISER)
    assert organiser.get(own).status_code == 200 or organiser.post(own, sent).status_code in {200, 302}


def test_a_decision_is_not_taken_back_in_the_name_of_another_campaign(world):
    user = world.accounts["elsewhere"]
    act = Act.objects.create(pair=Pair.objects.first(), user=user, action="hide")
    with pytest.raises(GoneError):
        undo(world.other, user, act.public_id)


@pytest.mark.parametrize("method", ["get", "post"])
def test_strangers_and_accounts_are_no_contributors(world, method):
    clients = [Client(), as_account(world, Role.ORGANISER)]
    before = snapshot("Session")
    for client in clients:
        for one in CONTRIBUTORS:
            if one.name not in OPEN_TO_STRANGERS:
                response = getattr(client, method)(one.at(world.known))
                assert response.status_code in {302, 405}, (one.name, response.status_code)
                assert response.status_code == 405 or response.headers["Location"] == "/", one.name
    assert snapshot("Session") == before


def test_a_made_up_cookie_is_nobody(world, client):
    for guess in ("", "ana'", world.person.secret_hash, str(world.person.pk), "a" * 5_000):
        client.cookies[COOKIE] = guess
        assert client.get("/card/").headers["Location"] == "/"


@pytest.mark.slow
def test_reading_changes_nothing(world, as_contributor):
    """But the draw of the card that is shown, the judge that an account becomes, and the count of wrong codes."""
    clients = [Client(), as_contributor, as_account(world, Role.ORGANISER)]
    for client in clients:
        client.get("/card/")
    before = snapshot("Card", "Attempts", "Session", "Judge")
    for client in clients:
        for one in ALL:
            for method in (client.get, client.head):
                status = method(one.at(world.known)).status_code
                assert status < 500, (one.name, status)
    assert snapshot("Card", "Attempts", "Session", "Judge") == before


@pytest.mark.slow
def test_every_post_needs_the_token_against_forgery(world):
    contributor, organiser = (Client(enforce_csrf_checks=True) for _ in range(2))
    contributor.cookies[COOKIE] = world.person.cookie
    organiser.force_login(world.accounts[Role.ORGANISER])
    before = snapshot()
    for client in (Client(enforce_csrf_checks=True), contributor, organiser):
        for one in ALL:
            for method in (client.post, client.put, client.delete, client.patch):
                assert method(one.at(world.known)).status_code in {403, 405}, one.name
            assert client.post(one.at(world.known)).status_code == 403, one.name
    assert snapshot() == before


def test_a_closed_campaign_takes_only_the_last_answers(world, as_contributor):
    world.campaign.state = State.CLOSED
    world.campaign.save()
    last = {
        "contributor:rate",
        "contributor:skip",
        "contributor:finish",
        "contributor:mixed",
        "contributor:mixed_report",
        "contributor:mixed_skip",
    }
    around = {"contributor:language", "contributor:leave"}
    before = snapshot("Edition")
    sent = {"value": "5", "reason": "dont_know", "text": "love poetry", "language": "en", "origins": "BR"}
    for one in CONTRIBUTORS:
        if one.name not in last | around:
            as_contributor.post(one.at(world.known), sent)
            as_contributor.head(one.at(world.known))
    # The first visitor of the results has the figures of the day made.
    assert snapshot("Edition") == before
    assert {one.name for one in CONTRIBUTORS if Door.CARD in getattr(one.view, "roles", ())} == last


def test_cards_of_others_cannot_be_answered(world, make_person):
    intruder = Client()
    intruder.cookies[COOKIE] = make_person(world.campaign, "eve").cookie
    before = snapshot()
    for one in CONTRIBUTORS:
        if "token" in one.facts:
            response = intruder.post(
                one.at(world.known), {"value": "5", "reason": "dont_know", "text": "love poetry"}
            )
            assert response.status_code in {302, 400, 403, 404, 405, 409}, one.name
    assert snapshot() == before


@pytest.fixture
def as_judge(world):
    client = Client()
    client.cookies[JUDGE_COOKIE] = JUDGE
    return client


def of_the_panel(world, one):
    return one.at({**world.known, "code": world.task.code, "name": "questions"})


@pytest.mark.parametrize("method", ["get", "post"])
def test_strangers_contributors_and_accounts_are_nobody_of_a_panel(world, as_contributor, method):
    clients = [Client(), as_contributor, as_account(world, Role.ORGANISER)]
    before = snapshot("Session")
    for client in clients:
        for one in PANEL:
            if one.name not in PANEL_OPEN_TO_STRANGERS:
                response = getattr(client, method)(of_the_panel(world, one), {"action": "delete"})
                assert response.status_code in {302, 405}, (one.name, response.status_code)
                home = f"/t/{world.task.code}/"
                assert response.status_code == 405 or response.headers["Location"] == home, one.name
    assert snapshot("Session") == before


@pytest.mark.parametrize("method", ["get", "post"])
def test_people_of_a_panel_are_no_contributors_and_no_accounts(world, as_judge, method):
    before = snapshot()
    for one in [*CONTRIBUTORS, *ACCOUNTS]:
        if one.name not in OPEN_TO_STRANGERS:
            response = getattr(as_judge, method)(one.at(world.known))
            assert response.status_code in {302, 405}, (one.name, response.status_code)
            where = response.headers.get("Location", "/")
            assert where == "/" or where.startswith(SIGN_IN), one.name
    assert snapshot() == before


def test_reading_the_pages_of_a_panel_changes_only_the_lease(world, as_judge):
    before = snapshot("Turn")
    for one in PANEL:
        for method in (as_judge.get, as_judge.head):
            assert method(of_the_panel(world, one)).status_code in {200, 302, 405}, one.name
    assert snapshot("Turn") == before


def test_posts_of_a_panel_need_the_token_against_forgery(world):
    client = Client(enforce_csrf_checks=True)
    client.cookies[JUDGE_COOKIE] = JUDGE
    before = snapshot()
    for one in PANEL:
        assert client.post(of_the_panel(world, one), {"action": "delete"}).status_code == 403, one.name
    assert snapshot() == before
