"""Whoever runs a campaign, from the settings to a release: in a real browser, at a desk and on a phone."""

from __future__ import annotations

import re
from contextlib import contextmanager
from uuid import UUID

import pytest

from collect_support.browsing import DESK, join, visit

HERE = "/organise/laces/"


@pytest.fixture(scope="module")
def signed_in(browser, site):
    """Cookies of the organiser; from now on new pairs wait for a moderator."""
    with visit(browser, site.address, **DESK) as one:
        sign_in(one, "organiser", site.password)
        one.go(f"{HERE}settings/general/")
        one.page.get_by_label("Who runs it").fill("River Lab")
        one.page.get_by_label("How people reach you").fill("river@example.org")
        one.page.get_by_label("A moderator looks at each new pair").check()
        one.press("Save as a new version")
        one.page.wait_for_url(f"**{HERE}settings/*")
        return one.context.storage_state()


@pytest.fixture
def desk(browser, site, signed_in):
    with at(browser, site, signed_in) as one:
        yield one


@pytest.fixture(scope="module")
def crowd(browser, site):
    """Five people who answered three cards each."""
    for value in (5, 4, 4, 2, 3):
        with visit(browser, site.address, java_script_enabled=False) as one:
            join(one, site.join)
            for _ in range(3):
                answer(one, value)
                if one.page.locator("#more").count():
                    one.press("Next")


@contextmanager
def at(browser, site, cookies, **options):
    with visit(browser, site.address, storage_state=cookies, **{**DESK, **options}) as one:
        yield one


def sign_in(one, name, password):
    one.go("/organise/login/")
    one.page.get_by_label("Name").fill(name)
    one.page.get_by_label("Password").fill(password)
    one.press("Sign in", exact=True)


def answer(one, value):
    """Answer the card of a person, and wait for what comes next; lists and comparisons that come before it too."""
    while (
        mixed := one.page.locator("button[form=mixed], form[action*='/mixed/'] button[value=same]")
    ).count():
        mixed.first.click()
        one.page.wait_for_load_state()
    form, cover = one.page.locator("form.answers"), one.page.locator("#reveal button")
    if cover.count():
        cover.click()
        form.wait_for()
    if form.count() == 0:
        one.press("Next")
    token = re.search(r"/card/([0-9a-f-]+)/rate/", form.get_attribute("action"))[1]
    form.locator(f"button[value='{value}']").click()
    one.page.locator(f"form.answers[action*='{token}']").wait_for(state="detached")
    one.page.wait_for_load_state()


def asked_for_words(one, site):
    """Let the page after an answer ask for words, whatever country the card was about."""
    site.change("update collect_card set words = 1")
    one.page.reload()


def say(browser, site, *words):
    """A new person says this of one country; gives the addresses of the pairs by their words."""
    with visit(browser, site.address, java_script_enabled=False) as one:
        join(one, site.join)
        answer(one, 4)
        asked_for_words(one, site)
        for text in words:
            one.page.locator("#id_text").fill(text)
            one.press("Add")
            if "/alike/" in one.page.url:
                one.press("Different from all of these")
    rows = site.ask("select attribute, public_id from collect_pair where source != 'seed'")
    return {text: f"{HERE}moderation/{UUID(public_id)}/" for text, public_id in rows if text in words}


def state_of(site, address):
    identity = UUID(address.split("/")[-2]).hex
    return site.ask("select moderation, attribute from collect_pair where public_id = ?", identity)[0]


def downloaded(one, button):
    """The name of the archive that a button gives."""
    with one.page.expect_download() as waiting:
        one.page.get_by_role("button", name=button).click()
    return waiting.value.suggested_filename


def test_sign_in_and_out(browser, site):
    with visit(browser, site.address, **DESK) as one:
        one.go(HERE)
        assert "/organise/login/" in one.page.url
        one.check("desk-sign-in")
        one.page.get_by_label("Name").fill("organiser")
        one.page.get_by_label("Password").fill("not the password")
        one.press("Sign in", exact=True)
        one.check("desk-sign-in-again")
        assert one.page.get_by_label("Name").input_value() == "organiser"
        one.page.get_by_label("Password").fill(site.password)
        one.press("Sign in", exact=True)
        one.page.wait_for_url(f"**{HERE}")
        one.go("/organise/")
        one.check("desk-home")
        one.page.locator(".menu summary", has_text="organiser").click()
        one.press("Change password")
        one.check("desk-password")
        one.page.locator(".menu summary", has_text="organiser").click()
        one.press("Sign out")
        one.go(HERE)
        assert "/organise/login/" in one.page.url


def test_a_text_and_a_number_are_changed(desk, site):
    desk.go(f"{HERE}settings/")
    desk.check("desk-settings")
    desk.press("Texts")
    desk.check("desk-settings-texts")
    desk.page.locator("#id_title-en").fill("What our neighbours say")
    desk.press("Save as a new version")
    desk.go(f"{HERE}settings/cards/")
    desk.check("desk-settings-cards")
    desk.page.get_by_label("Ratings each pair should get").fill("0")
    desk.press("Save as a new version")
    desk.check("desk-settings-cards-wrong")
    desk.page.get_by_label("Ratings each pair should get").fill("2")
    desk.press("Save as a new version")
    desk.press("All versions")
    desk.check("desk-settings-versions")
    version = desk.page.locator("details.fold").nth(1)
    version.locator("summary").click()
    desk.check("desk-settings-version")
    assert version.locator("del").all_inner_texts() == ["What people say where you live"]
    assert version.locator("ins").all_inner_texts() == ["What our neighbours say"]
    for section in ("general", "profile", "questions", "care"):
        desk.go(f"{HERE}settings/{section}/")
        desk.check(f"desk-settings-{section}")
    desk.go(site.join)
    assert desk.page.locator(".brand").inner_text() == "What our neighbours say"


def test_a_file_of_seeds_is_added(desk, site):
    rows = "AR,whistle tango at work,en\nChile,aman la poesía del mar,es\nAR,Whistle  tango at work,en\n"
    before = site.ask("select count(*) from collect_pair")[0][0]
    desk.go(f"{HERE}seeds/")
    desk.check("desk-seeds")
    desk.press("Add seeds")
    file = {"name": "seeds.csv", "mimeType": "text/csv"}
    desk.page.get_by_label("File").set_input_files({**file, "buffer": b"land,words\nAR,x\n"})
    desk.press("Add seeds")
    desk.forgive(422)
    desk.check("desk-seeds-wrong")
    assert site.ask("select count(*) from collect_pair")[0][0] == before
    content = f"country,attribute,language\n{rows}".encode()
    desk.page.get_by_label("File").set_input_files({**file, "buffer": content})
    desk.press("Add seeds")
    desk.page.get_by_text("2 pairs added, 1 was there already").wait_for()
    assert site.ask("select count(*) from collect_pair")[0][0] == before + 2


def test_a_code_is_made_shown_and_revoked(desk):
    desk.go(f"{HERE}codes/")
    desk.press("Make a code")
    desk.check("desk-code")
    desk.press("Make a code")
    desk.check("desk-codes")
    code = desk.page.locator("li .code").first.inner_text()
    desk.page.get_by_role("link", name="Poster").first.click()
    desk.check("desk-poster")
    assert desk.page.locator("img.qr").evaluate("picture => picture.complete && picture.naturalWidth > 0")
    desk.go(f"{HERE}codes/")
    desk.page.locator("li", has_text=code).get_by_role("checkbox").check()
    desk.press("Revoke")
    desk.press("Revoke", exact=True)
    desk.page.locator("li", has_text=code).get_by_text("Revoked").wait_for()


@pytest.mark.usefixtures("crowd")
def test_the_room_on_the_dashboard_and_on_the_wall(desk, browser, site, signed_in):
    desk.go(HERE)
    desk.check("desk-dashboard")
    assert desk.page.locator(".bars li").count() > 0
    assert "UTC" not in desk.page.locator("[data-clock=seconds]").inner_text()
    with at(browser, site, signed_in) as wall:
        wall.go(f"{HERE}projector/")
        wall.check("desk-projector")
        assert wall.page.locator("img.qr").evaluate("picture => picture.complete && picture.naturalWidth > 0")
    with at(browser, site, signed_in, color_scheme="dark") as dark:
        dark.go(HERE)
        dark.check("desk-dashboard-dark")


def test_pause_open_and_what_people_are_asked_for(desk, phone, site, browser, signed_in):
    join(phone, site.join)
    desk.go(HERE)
    with at(browser, site, signed_in) as wall:
        wall.go(f"{HERE}projector/")
        desk.press("Pause", exact=True)
        wall.page.get_by_text("We are having a break.").wait_for()
        assert wall.page.locator("img.qr").count() == 0
        wall.check("desk-projector-paused")
    desk.check("desk-dashboard-paused")
    phone.go("/card/")
    phone.page.get_by_text("We are taking a break").wait_for()
    # While it is paused the site gives no cards for the time without a network.
    phone.forgive(403)
    phone.check("paused")
    desk.press("Open", exact=True)
    desk.check("desk-opening")
    # Without a day of deletion there is no button.
    assert desk.page.get_by_role("button", name="Open the campaign").count() == 0
    desk.go("/organise/laces/settings/general/#id_retention")
    desk.page.get_by_label("Last day on which answers are linked to people").fill("2099-12-31")
    desk.press("Save as a new version")
    desk.go(f"{HERE}open/")
    desk.page.get_by_label("Keep it").check()
    desk.press("Open the campaign")
    phone.press("Try again")
    phone.page.locator("form.answers, #reveal").first.wait_for()
    desk.press("Ratings only")
    assert desk.page.get_by_role("button", name="Ratings only").get_attribute("aria-pressed") == "true"
    desk.press("Automatic")


def test_moderation(desk, browser, site):
    words, person = ("whistle at dawn", "sing on the street"), "ask ana@example.org for soup"
    pages = say(browser, site, *words, "sing in the street", person)
    desk.go(f"{HERE}moderation/")
    desk.check("desk-moderation")
    desk.go(pages[words[0]])
    desk.check("desk-moderation-item")
    desk.press("Approve")
    desk.check("desk-moderation-next")
    assert state_of(site, pages[words[0]])[0] == "live"
    desk.go(pages[words[1]])
    desk.page.locator("summary", has_text="Merge into").click()
    desk.check("desk-moderation-merge")
    desk.press("Merge into this one")
    assert state_of(site, pages[words[1]])[0] == "merged"
    desk.go(pages[person])
    desk.page.locator("summary", has_text="Personal data").click()
    desk.check("desk-moderation-personal")
    desk.press("Remove the words for good")
    desk.go(f"{HERE}log/")
    desk.check("desk-log")


def test_moderation_with_keys(desk, browser, site):
    pages = say(browser, site, "hum on the bus")
    desk.go(pages["hum on the bus"])
    desk.page.keyboard.press("a")
    # Nobody approves words that they were never shown: the first press shows them.
    desk.page.locator("article > .cover[open]").get_by_text("hum on the bus").wait_for()
    assert state_of(site, pages["hum on the bus"])[0] == "pending"
    quotes = "q => { q.lang = 'fr'; return getComputedStyle(q).quotes; }"
    assert "«\u202f" in desk.page.locator("article q").first.evaluate(quotes)
    desk.page.keyboard.press("a")
    desk.page.get_by_text("You approved:").wait_for()
    assert state_of(site, pages["hum on the bus"])[0] == "live"
    desk.page.keyboard.press("z")
    desk.page.wait_for_url(f"**{pages['hum on the bus']}")
    assert state_of(site, pages["hum on the bus"])[0] == "pending"


@pytest.mark.usefixtures("crowd")
def test_exports_and_a_release(desk):
    desk.go(f"{HERE}exports/")
    desk.check("desk-exports")
    assert downloaded(desk, "Download a working copy").startswith("laces-")
    desk.press("A new release")
    desk.page.locator("#id_number").fill("one")
    desk.page.get_by_label("I know that a release never changes").check()
    desk.press("Make and download the release")
    desk.check("desk-exports-wrong")
    desk.forgive(422)
    desk.page.locator("#id_number").fill("1.0")
    assert downloaded(desk, "Make and download the release") == "laces-1.0.zip"


@pytest.mark.usefixtures("crowd")
def test_on_a_phone(browser, site, signed_in):
    address = say(browser, site, "knit on the train")["knit on the train"]
    with visit(browser, site.address, storage_state=signed_in) as one:
        for page in (
            "",
            "projector/",
            "settings/general/",
            "settings/cards/",
            "seeds/",
            "codes/",
            "moderation/",
        ):
            one.go(HERE + page)
            one.check(f"organiser-phone-{page.strip('/').replace('/', '-') or 'dashboard'}")
        one.go(address)
        one.check("organiser-phone-moderation-item")
        for page in ("exports/", "log/"):
            one.go(HERE + page)
            one.check(f"organiser-phone-{page.strip('/')}")
