"""Whoever runs a campaign, in a real browser: every page at a desk and on a phone, keys, live pages, the wall."""

from __future__ import annotations

import hashlib
import zipfile
from contextlib import contextmanager
from uuid import UUID

import pytest

from collect_support.browsing import CHROMIUM, DESK, PHONE, join, visit
from collect_support.campaign_folders import in_campaign
from endoxa_collect.campaign import UI_LANGUAGES
from endoxa_collect.organiser.setting_forms import SECTIONS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="no browser is installed (apt-get install chromium-headless-shell)"
    ),
]

HERE = "/organise/laces/"
HOSTILE = """"><script>alert(1)</script><img src=x onerror=alert(2)>'"""
INTRUDERS = "script:not([src]), img[src=x], [onerror], [onload], main [style], a[href^=javascript]"
SCREENS = ((1024, 768), (1280, 720))
UNFOLD = "document.querySelectorAll('main details').forEach(fold => { fold.open = true; })"
DRAWN = "picture => picture.complete && picture.naturalWidth > 0"
PAGES = (
    "", "projector/", "open/", "turnout/", "moderation/people/", "moderation/", "{item}", "{unjudged}", "seeds/",
    "pairs/?country=CO", "seeds/add/", "codes/", "codes/new/", "codes/{code}/poster/", "exports/",
    "exports/restricted/", "log/", "tasks/", "new-task/", "settings/", "settings/versions/",
    *(f"settings/{section}/" for section in SECTIONS),
)  # fmt: skip


def item_of(site, words):
    """The address of what moderators see of a pair, below the campaign's."""
    ((identity,),) = site.ask("select public_id from collect_pair where attribute = ?", words)
    return f"moderation/{UUID(identity)}/"


def state_of(site, words):
    ((state,),) = site.ask("select moderation from collect_pair where attribute = ?", words)
    return state


def sign_in(one, password):
    one.page.get_by_label("Name").fill("organiser")
    one.page.get_by_label("Password").fill(password)
    one.press("Sign in", exact=True)


@pytest.fixture(scope="module")
def cookies(browser, site):
    """Cookies of the organiser of a campaign in which five people did something; new pairs wait for a moderator."""
    in_campaign(site.folder, "v.fill_room()")
    with visit(browser, site.address, **DESK) as one:
        one.go(HERE)
        sign_in(one, "not the password")
        one.check("desk-sign-in-again")
        assert one.page.get_by_label("Name").input_value() == "organiser"
        sign_in(one, site.password)
        one.page.wait_for_url(f"**{HERE}")
        return one.context.storage_state()


@contextmanager
def at(browser, site, cookies, **options):
    with visit(browser, site.address, storage_state=cookies, **{**DESK, **options}) as one:
        yield one


@pytest.fixture
def desk(browser, site, cookies):
    with at(browser, site, cookies) as one:
        yield one


def pages(site):
    """All pages of a campaign, with one of everything."""
    ((code,),) = site.ask("select code from collect_joincode")
    known = {
        "item": item_of(site, "ask ana@example.org for soup"),
        "unjudged": item_of(site, "sing in the street"),
        "code": code,
    }
    return [f"{HERE}{page.format(**known)}" for page in PAGES]


@pytest.mark.parametrize("language", ["fr", "ar"])
def test_all_countries_fit_on_the_wall(desk, site, language):
    languages = [language, *(other for other in UI_LANGUAGES if other != language)]
    in_campaign(site.folder, f"v.save(ui_languages={languages!r})")
    desk.go(f"{HERE}projector/")
    assert desk.page.locator("html").get_attribute("lang") == language
    assert desk.page.locator(".bars.many li").count() == 21
    cut = "() => [...document.querySelectorAll('.bar-name')].filter(one => one.scrollWidth > one.clientWidth).length"
    root = "() => { const one = document.documentElement; return [one.scrollWidth, one.scrollHeight]; }"
    for width, height in SCREENS:
        desk.page.set_viewport_size({"width": width, "height": height})
        assert desk.page.evaluate(root) == [width, height]
        assert desk.page.evaluate(cut) == 0


def test_every_page_fits_a_phone_and_can_be_read_by_everybody(browser, site, cookies):
    """Written from right to left, in dark colours, with all folds open."""
    with at(browser, site, cookies, **PHONE, color_scheme="dark") as one:
        one.context.add_cookies([{"name": "endoxa_language", "value": "ar", "url": site.address}])
        for path in (*pages(site), "/organise/", "/organise/password/"):
            assert one.page.goto(f"{site.address}{path}").status == 200, path
            if "projector" not in path:  # which speaks the first language of the campaign
                assert one.page.locator("html").get_attribute("lang") == "ar"
            one.page.evaluate(UNFOLD)
            one.check(path.strip("/").replace("/", "-"))
            for picture in one.page.locator("img.qr").all():
                assert picture.evaluate(DRAWN), path


def test_moderation_with_keys(desk, site):
    in_campaign(site.folder, "v.propose_all('hum on the bus')")
    item = item_of(site, "hum on the bus")
    desk.go(HERE + item)
    desk.page.keyboard.press("a")
    # Nobody approves words that they were never shown: the first press shows them.
    desk.page.locator("article > .cover[open]").get_by_text("hum on the bus").wait_for()
    assert state_of(site, "hum on the bus") == "pending"
    desk.page.keyboard.press("a")
    desk.page.get_by_text("You approved:").wait_for()
    desk.page.locator("body.with-keys").wait_for()  # before, a key would be lost
    assert state_of(site, "hum on the bus") == "live"
    desk.page.keyboard.press("z")
    desk.page.wait_for_url(f"**{item}")
    assert state_of(site, "hum on the bus") == "pending"


def test_settings_moderation_and_exports_without_javascript(browser, site, cookies):
    with at(browser, site, cookies, java_script_enabled=False) as one:
        one.go(f"{HERE}settings/care/")
        one.page.get_by_label("Words to watch").fill("volcano")
        one.press("Save as a new version")
        one.page.wait_for_url(f"**{HERE}settings/*")
        in_campaign(site.folder, "v.propose_all('dance on the volcano')")
        one.go(f"{HERE}moderation/")
        one.press("Show all words at once")
        one.page.get_by_text("dance on the volcano").wait_for()
        one.press("Cover the words")
        one.go(HERE + item_of(site, "dance on the volcano"))
        one.page.get_by_text("a word from your list").first.wait_for()
        one.page.locator("summary", has_text="Topic and tone").click()
        one.page.get_by_role("combobox", name="It may hurt").select_option("Yes")
        one.press("Keep", exact=True)
        one.press("Approve")
        assert state_of(site, "dance on the volcano") == "live"
        one.go(f"{HERE}exports/")
        with one.page.expect_download() as waiting:
            one.page.get_by_role("button", name="Download a working copy").click()
        assert waiting.value.suggested_filename.startswith("laces-")
        with zipfile.ZipFile(waiting.value.path()) as archive:
            files = {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}
    lines = [line.split(None, 1) for line in files.pop("SHA256SUMS").decode().splitlines()]
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    assert {name.lstrip("*"): told for told, name in lines} == sums
    assert {"ratings.csv", "pairs.csv"} <= set(files)


def test_who_pauses_and_opens_is_seen_on_the_wall_and_on_phones(desk, phone, site, browser, cookies):
    in_campaign(site.folder, f"v.save(ui_languages={list(UI_LANGUAGES)!r})")
    join(phone, site.join)
    desk.go(HERE)
    assert desk.page.locator(".bars li").count() > 0
    with at(browser, site, cookies) as wall:
        wall.go(f"{HERE}projector/")
        desk.press("Pause", exact=True)
        wall.page.get_by_text("We are having a break.").wait_for()
        assert wall.page.locator("img.qr").count() == 0
        wall.check("desk-projector-paused")
    phone.go("/card/")
    phone.page.get_by_text("We are taking a break").wait_for()
    # While it is paused the site gives no cards for the time without a network.
    phone.forgive(403)
    phone.check("paused")
    desk.press("Open", exact=True)
    phone.press("Try again")
    phone.page.locator("form.answers, #reveal").first.wait_for()


def test_hostile_words_run_no_script(desk, phone, site):
    """That no script ran is seen when the visits end. The sources of all pages: security/test_privacy.py."""
    in_campaign(site.folder, f"v.plant({HOSTILE!r})")
    settings = ("settings/texts/", "settings/questions/", "settings/profile/")
    lists = ("", "projector/", "moderation/", "pairs/", "seeds/", "codes/", "log/")
    for path in (*lists, *settings, item_of(site, HOSTILE)):
        desk.go(HERE + path)
        assert desk.page.locator(INTRUDERS).count() == 0, path
    join(phone, site.join)
    for path in ("/", site.join, "/profile/", "/help/", "/privacy/", "/survey/tea/", "/card/"):
        phone.go(path)
        assert phone.page.locator(INTRUDERS).count() == 0, path
    assert phone.page.locator(".brand").inner_text() == HOSTILE
    phone.check("card-hostile")
