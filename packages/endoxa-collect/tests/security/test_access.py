"""Who may open what: every address of the resolver as everybody."""

from __future__ import annotations

from itertools import product

import pytest
from django.http import Http404, HttpResponse
from django.test import Client

from collect_support.site_map import JUDGE, PUBLIC_TO_ACCOUNTS, addresses, snapshot
from endoxa_collect.access import Door, allowed
from endoxa_collect.anonymous import PANEL_COOKIE as JUDGE_COOKIE
from endoxa_collect.models import Act, Pair, Role, State
from endoxa_collect.organiser.decisions import GoneError, revision, undo
from endoxa_collect.security.codes import COOKIE

pytestmark = pytest.mark.slow

ALL = addresses()
ACCOUNTS = [one for one in ALL if one.name.startswith("organiser:") and one.name not in PUBLIC_TO_ACCOUNTS]
CAMPAIGNS = [one for one in ALL if one.of_a_campaign]
CONTRIBUTORS = [one for one in ALL if one.name.startswith("contributor:")]
STRANGERS = """
home language join decline declined privacy guardian help leave no_network left results results_of resume
data data_archive data_card worker
"""
OPEN_TO_STRANGERS = {f"contributor:{name}" for name in STRANGERS.split()}
PANEL = [one for one in ALL if one.name.startswith("panel:")]
PANEL_OPEN_TO_STRANGERS = {"panel:start", "panel:declined", "panel:deleted"}
SIGN_IN = "/organise/login/"
EVERYBODY = "moderator organiser researcher reviewer"
PAGES_OF = {
    EVERYBODY: """
        code_qr dashboard dashboard_live projector projector_invitation projector_live tasks
    """,
    "moderator organiser reviewer": """
        all_pairs moderation moderation_item moderation_words task task_begin task_judge task_undo
    """,
    "moderator organiser": """
        people person moderation_act moderation_many moderation_next moderation_undo
    """,
    "organiser researcher": """
        export_download exports
    """,
    "organiser": """
        audit balance code_add code_poster code_name codes export_release export_restricted opening rehearsal seeds
        seeds_add settings settings_section settings_versions state task_add turnout
    """,
}
"""Pages by who may open them, written out, so that a page that is opened to more people by mistake is seen."""


@pytest.fixture
def as_contributor(world):
    client = Client()
    client.cookies[COOKIE] = world.person.cookie
    return client


@pytest.fixture
def as_judge(world):
    client = Client()
    client.cookies[JUDGE_COOKIE] = JUDGE
    return client


def as_account(world, name):
    client = Client()
    client.force_login(world.accounts[name])
    return client


def of_the_panel(world, one):
    return one.at({**world.known, "code": world.task.code, "name": "questions"})


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
    assert named == {
        f"organiser:{name}": roles for roles, names in PAGES_OF.items() for name in names.split()
    }


def closed(ones, open_to=OPEN_TO_STRANGERS | PANEL_OPEN_TO_STRANGERS):
    """The pages that not everybody may open."""
    return [one for one in ones if one.name not in open_to]


@pytest.mark.parametrize("who", ["stranger", "contributor", "account", "judge"])
def test_nobody_opens_the_pages_of_others(world, as_contributor, as_judge, who):
    """Strangers, contributors, accounts and people of a panel are sent to where they may begin, and change nothing."""
    account = as_account(world, Role.ORGANISER)
    client = {"stranger": Client(), "contributor": as_contributor, "account": account, "judge": as_judge}[who]
    doors = {
        "contributor": (closed(CONTRIBUTORS), "/", lambda one: one.at(world.known)),
        "account": (ACCOUNTS, SIGN_IN, lambda one: one.at(world.known)),
        "judge": (closed(PANEL), f"/t/{world.task.code}/", lambda one: of_the_panel(world, one)),
    }
    before = snapshot("Session")
    for kind in doors.keys() - {who}:
        pages, home, at = doors[kind]
        for one, method in product(pages, (client.get, client.post)):
            response = method(at(one), {"action": "delete"} if kind == "judge" else {})
            assert response.status_code in {302, 405}, (one.name, response.status_code)
            where = response.headers.get("Location", home)
            assert where.startswith(home) if kind == "account" else where == home, one.name
            assert kind != "account" or response.status_code == 302, one.name
    assert snapshot("Session") == before


@pytest.mark.parametrize("name", [*Role, "elsewhere", "nothing"])
def test_accounts_open_and_change_only_what_their_role_allows(world, name):
    client = as_account(world, name)
    before = snapshot("Session", "Judge")
    for one in CAMPAIGNS:
        status = client.get(one.at(world.known)).status_code
        if name in one.view.roles:
            # An organiser opens every page, so that all tests walk to pages that are there.
            assert status in ({200, 405} if name == Role.ORGANISER else {200, 302, 405}), (one.name, status)
        else:
            assert status == 404, (one.name, status)
            assert client.post(one.at(world.known), {"state": "closed"}).status_code == 404, one.name
    assert snapshot("Session", "Judge") == before


MAY_ACT = {
    "all_pairs": "moderator organiser",
    "audit": "",
    "codes": "organiser",
    "exports": "organiser",
    "seeds": "organiser",
    "tasks": "organiser researcher",
}
"""Who may do something with the rows of a list; the others who see it only look."""


def test_who_may_only_look_at_a_list_sends_nothing(world):
    for name, (page, roles) in product(Role, MAY_ACT.items()):
        (one,) = (one for one in CAMPAIGNS if one.name == f"organiser:{page}")
        refused = as_account(world, name).post(one.at(world.known)).status_code == 404
        assert refused is (name.value not in roles.split()), (name, page)


FOREIGN = ["code_name", "code_poster", "code_qr", "moderation_act", "moderation_item", "moderation_undo"]


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


def test_a_made_up_cookie_is_nobody(world, client):
    for guess in ("", "ana'", world.person.secret_hash, str(world.person.pk), "a" * 5_000):
        client.cookies[COOKIE] = guess
        assert client.get("/card/").headers["Location"] == "/"


def test_reading_changes_nothing(world, as_contributor, as_judge):
    """But the draw of what is shown, the judge that an account becomes, and the count of wrong codes."""
    organiser = as_account(world, Role.ORGANISER)
    drawn = {Client(): (), as_contributor: ("Card",), organiser: ("Judge", "Session"), as_judge: ("Turn",)}
    for client, kinds in drawn.items():
        client.get("/card/")
        but = ("Attempts", *kinds)
        before = snapshot(*but)
        for one in ALL:
            at = of_the_panel(world, one) if one in PANEL else one.at(world.known)
            for method in (client.get, client.head):
                status = method(at).status_code
                assert status < 500, (one.name, status)
        assert snapshot(*but) == before


def test_every_post_needs_the_token_against_forgery(world):
    """Also of a browser that is known as a contributor, as an organiser and as somebody of a panel at once."""
    known = Client(enforce_csrf_checks=True)
    known.force_login(world.accounts[Role.ORGANISER])
    known.cookies[COOKIE] = world.person.cookie
    known.cookies[JUDGE_COOKIE] = JUDGE
    before = snapshot()
    for client in (Client(enforce_csrf_checks=True), known):
        for one in ALL:
            at = of_the_panel(world, one) if one in PANEL else one.at(world.known)
            for method in (client.put, client.delete, client.patch):
                assert method(at).status_code in {403, 405}, one.name
            assert client.post(at, {"action": "delete"}).status_code == 403, one.name
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
