"""Whoever runs a campaign, from the settings to a release: in a real browser, at a desk and on a phone."""

from __future__ import annotations

import hashlib
import re
import zipfile
from contextlib import contextmanager
from uuid import UUID

import pytest

from collect_support.browsing import CHROMIUM, DESK, join, visit
from collect_support.served import endoxa

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no browser is installed (apt-get install chromium-headless-shell)"
)

HERE = "/organise/laces/"
MANY = "Many people here say it"
HOSTILE = """"><script>alert(1)</script><img src=x onerror=alert(2)>'"""
TURNED = "\u202eyad yb\u2066"  # bidirectional controls
INTRUDERS = "script:not([src]), img[src=x], [onerror], [onload], main [style], a[href^=javascript]"


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


@pytest.fixture
def plain_desk(browser, site, signed_in):
    """A desk with JavaScript switched off."""
    with at(browser, site, signed_in, java_script_enabled=False) as one:
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
    """The files in the archive that a button gives."""
    with one.page.expect_download() as waiting:
        one.page.get_by_role("button", name=button).click()
    with zipfile.ZipFile(waiting.value.path()) as archive:
        return waiting.value.suggested_filename, {
            name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()
        }


def sums_are_right(files):
    listed = dict(reversed(line.split(None, 1)) for line in files["SHA256SUMS"].decode().splitlines())
    assert {name.lstrip("*"): told for name, told in listed.items()} == {
        name: hashlib.sha256(content).hexdigest() for name, content in files.items() if name != "SHA256SUMS"
    }


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


def test_a_code_is_made_shown_and_revoked(desk, browser, site):
    desk.go(f"{HERE}codes/")
    desk.press("Make a code")
    desk.check("desk-code")
    desk.press("Make a code")
    desk.check("desk-codes")
    code = desk.page.locator("li .code").first.inner_text()
    desk.page.get_by_role("link", name="Poster").first.click()
    desk.check("desk-poster")
    assert desk.page.locator("img.qr").evaluate("picture => picture.complete && picture.naturalWidth > 0")
    with visit(browser, site.address) as phone:
        phone.go(f"/j/{code}/")
        assert phone.page.get_by_role("button", name="I agree").count() == 1
        desk.go(f"{HERE}codes/")
        desk.page.locator("li", has_text=code).get_by_role("checkbox").check()
        desk.press("Revoke")
        desk.press("Revoke", exact=True)
        desk.page.locator("li", has_text=code).get_by_text("Revoked").wait_for()
        phone.go(f"/j/{code}/")
        assert phone.page.get_by_role("button", name="I agree").count() == 0
        phone.forgive(404)


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
    words = ("whistle at dawn", "laugh loud", "wlak after dinner", "sing in the street", "sing on the street")
    person = "ask ana@example.org for soup"
    pages = say(browser, site, *words, person)
    approved, hidden, misspelt, street, other = (pages[text] for text in words)
    desk.go(f"{HERE}moderation/")
    desk.check("desk-moderation")
    desk.go(approved)
    desk.check("desk-moderation-item")
    desk.press("Approve")
    assert state_of(site, approved) == ("live", "whistle at dawn")
    desk.press("Take it back")
    assert state_of(site, approved) == ("pending", "whistle at dawn")
    desk.go(hidden)
    desk.press("Hide")
    assert state_of(site, hidden) == ("hidden", "laugh loud")
    desk.check("desk-moderation-next")
    desk.go(misspelt)
    desk.page.locator("summary", has_text="Other words").click()
    desk.page.get_by_label("Words", exact=True).fill("walk after dinner")
    desk.press("Keep these words")
    assert state_of(site, misspelt) == ("pending", "walk after dinner")
    assert site.ask("select 1 from collect_mention where text = 'wlak after dinner'")
    desk.go(other)
    desk.page.locator("summary", has_text="Merge into").click()
    desk.check("desk-moderation-merge")
    desk.press("Merge into this one")
    assert state_of(site, other)[0] == "merged"
    desk.press("What was merged")
    desk.press("Edit or merge")
    desk.press("Take the merge back")
    assert state_of(site, other)[0] == state_of(site, street)[0] == "pending"
    desk.go(pages[person])
    assert desk.page.get_by_text("It holds an e-mail address.").count()
    desk.page.locator("summary", has_text="Personal data").click()
    desk.check("desk-moderation-personal")
    desk.press("Remove the words for good")
    assert not site.ask("select 1 from collect_pair where attribute like '%example.org%'")
    assert not site.ask("select 1 from collect_mention where text like '%example.org%'")
    desk.go(f"{HERE}log/")
    desk.check("desk-log")
    told = desk.page.locator("ul.rows").inner_text()
    for action in (
        "pair approved",
        "decision taken back",
        "pair hidden",
        "pair merged",
        "personal data removed",
    ):
        assert action in told
    assert "soup" not in told


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
def test_exports_and_a_release(desk, site):
    desk.go(f"{HERE}exports/")
    desk.check("desk-exports")
    name, files = downloaded(desk, "Download a working copy")
    assert name.startswith("laces-")
    sums_are_right(files)
    assert {"ratings.csv", "pairs.csv"} <= set(files)
    desk.press("A new release")
    desk.page.locator("#id_number").fill("one")
    desk.page.get_by_label("I know that a release never changes").check()
    desk.press("Make and download the release")
    desk.check("desk-exports-wrong")
    desk.forgive(422)
    desk.page.locator("#id_number").fill("1.0")
    name, files = downloaded(desk, "Make and download the release")
    assert name == "laces-1.0.zip"
    sums_are_right(files)
    desk.go(f"{HERE}exports/")
    assert desk.page.get_by_role("checkbox", name="1.0").count() == 1


def test_each_role_sees_its_own_pages(browser, site):
    address = say(browser, site, "wave from the window")["wave from the window"]
    pages = {
        "reviewer": {"Dashboard", "Projector", "Moderation", "All pairs", "Tasks"},
        "researcher": {"Dashboard", "Projector", "Tasks", "Exports"},
    }
    for role, links in pages.items():
        told = endoxa("account", str(site.folder), f"the-{role}", "--role", role)
        with visit(browser, site.address, **DESK) as one:
            sign_in(one, f"the-{role}", told.split()[-1])
            one.page.wait_for_url("**/organise/")
            one.go(HERE)
            assert set(one.page.locator(".pages li a").all_text_contents()) == links
            assert one.page.get_by_role("button", name="Pause").count() == 0
            one.check(f"desk-{role}")
            for page in (
                "settings",
                "seeds",
                "codes",
                "log",
                {"reviewer": "exports"}.get(role, "moderation"),
            ):
                assert one.page.goto(f"{site.address}{HERE}{page}/").status == 404
            one.check(f"desk-{role}-404")
            one.forgive(404)
            if role == "reviewer":
                one.go(address)
                one.check("desk-moderation-reviewer")
                assert one.page.get_by_role("button", name="Approve").count() == 0


def test_settings_moderation_and_exports_without_javascript(plain_desk, browser, site):
    plain_desk.go(f"{HERE}settings/care/")
    plain_desk.page.get_by_label("Words to watch").fill("volcano")
    plain_desk.press("Save as a new version")
    address = say(browser, site, "dance on the volcano")["dance on the volcano"]
    plain_desk.go(f"{HERE}moderation/")
    plain_desk.press("Show all words at once")
    assert plain_desk.page.get_by_text("dance on the volcano").count()
    plain_desk.press("Cover the words")
    plain_desk.go(address)
    assert plain_desk.page.get_by_text("a word from your list").count()
    plain_desk.page.locator("summary", has_text="Topic and tone").click()
    plain_desk.page.get_by_role("combobox", name="It may hurt").select_option("Yes")
    plain_desk.press("Keep", exact=True)
    plain_desk.press("Approve")
    assert state_of(site, address)[0] == "live"
    plain_desk.go(f"{HERE}exports/")
    sums_are_right(downloaded(plain_desk, "Download a working copy")[1])


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


def harmless(one, *paths):
    """Nothing that was typed became an element of a page. That no script ran is seen when the visit ends."""
    for path in paths or ("",):
        if path:
            one.go(path)
        assert one.page.locator(INTRUDERS).count() == 0, one.page.url


def type_into(one, *names):
    """Write something hostile into these fields, in folds or not."""
    one.page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    for name in names:
        one.page.locator(f"[name='{name}']").fill(HOSTILE)


def test_what_contributors_type_is_shown_as_typed(phone, desk, site):
    phone.go("/")
    phone.page.get_by_role("textbox").first.fill(HOSTILE)
    phone.page.get_by_role("textbox").first.press("Enter")
    harmless(phone)
    phone.go("/leave/")
    phone.page.get_by_role("textbox").last.fill(HOSTILE)
    phone.page.locator("main form button").last.click()
    harmless(phone)
    phone.forgive(404)
    join(phone, site.join)
    phone.go("/profile/")
    phone.page.locator("details.fold summary").first.click()
    for name in ("origins", "languages", "connections"):
        phone.page.locator(f"input[name={name}_typed]").fill(HOSTILE)
    phone.press("Go on")
    harmless(phone)
    phone.go("/card/")
    site.change("update collect_card set adds = 1, words = 1 where state = 'open'")
    answer(phone, 4)
    phone.page.wait_for_url("**/add/")
    asked_for_words(phone, site)
    phone.page.locator("details.fold > summary").last.click()
    type_into(phone, "another")
    phone.page.locator("#id_text").fill("hum")
    phone.press("Add")
    # What the site does not take it says beside the words.
    phone.page.locator("[aria-invalid=true]").first.wait_for()
    phone.forgive(422)
    harmless(phone)
    phone.page.get_by_label("Another country").fill("")
    phone.page.locator("#id_text").fill(HOSTILE + TURNED)
    phone.press("Add")
    phone.page.locator(".added q").wait_for()
    harmless(phone)
    phone.check("card-hostile")
    (identity, text), *_ = site.ask(
        "select public_id, attribute from collect_pair where attribute like '%script%'"
    )
    assert text == f"{HOSTILE}yad yb"
    address = f"{HERE}moderation/{UUID(identity)}/"
    harmless(desk, f"{HERE}moderation/", address)
    desk.page.locator("article .cover summary").click()
    assert desk.page.locator("article .words q").inner_text() == text
    desk.check("desk-moderation-hostile")


def test_what_organisers_type_is_shown_as_typed(desk, phone, site):
    desk.go(f"{HERE}moderation/")
    desk.press("Look at it")
    type_into(desk, "text", "topic")
    for button in ("Keep these words", "Keep"):
        desk.page.get_by_role("button", name=button, exact=True).click()
        desk.page.wait_for_load_state()
        harmless(desk)
        type_into(desk, "topic")
    type_into(desk, "q")
    desk.press("Search")
    harmless(desk)
    quoted = HOSTILE.replace('"', '""')
    rows = "".join(f'AR,"{quoted}{number}",en,"{quoted[:30]}"\n' for number in range(60))
    file = {"name": "<img src=x>.csv", "mimeType": "text/csv"}
    desk.go(f"{HERE}seeds/add/")
    desk.page.get_by_label("File").set_input_files({**file, "buffer": rows.encode()})
    desk.press("Add seeds")
    desk.forgive(422)
    harmless(desk)
    content = f"country,attribute,language,topic\n{rows}".encode()
    desk.page.get_by_label("File").set_input_files({**file, "buffer": content})
    desk.press("Add seeds")
    desk.page.get_by_text("pairs added").first.wait_for()
    harmless(desk)
    typed = {
        "general": ("organisation", "contact"),
        "texts": [f"{name}-en" for name in ("title", "about", "content_warning", "consent", "thanks")],
        "care": ("watch_words",),
        "profile": ("form-0-label-en", "form-0-purpose-en"),
        "questions": ("form-0-axis", "form-0-identity", "form-0-text-en"),
    }
    special = {
        "care": {"help_lines": f"* | {HOSTILE} | {HOSTILE}"},
        "profile": {"form-0-name": "tea", "form-0-choices-en": f"yes | {HOSTILE}\nno | {HOSTILE}"},
        "questions": {"form-0-name": "tea", "form-0-examples-en": f"* | {HOSTILE}"},
    }
    for section, names in typed.items():
        for value in (HOSTILE, None):
            desk.go(f"{HERE}settings/{section}/")
            type_into(desk, *names)
            for name, text in special.get(section, {}).items():
                desk.page.locator(f"[name='{name}']").fill(value or text)
            desk.press("Save as a new version")
            harmless(desk)
            # Whether the other languages mean the same; whether people agree once more.
            if desk.page.locator("[name=sure], [name=terms]").count():
                for same in desk.page.locator("[name=sure]").all():
                    same.check()
                desk.press("Save as a new version")
        desk.page.wait_for_url(f"**{HERE}settings/*")
    for page in (
        "", "projector/", "codes/", "moderation/", "exports/", "log/", "settings/", "settings/versions/",
    ):  # fmt: skip
        harmless(desk, HERE + page)
    harmless(desk, f"{HERE}log/?account=%22%3E%3Cimg%20src%3Dx%3E&action=x", f"{HERE}seeds/")
    phone.go(site.join)
    assert phone.page.locator(".brand").inner_text() == HOSTILE
    harmless(phone, site.join, "/help/", "/privacy/")
    join(phone, site.join)
    harmless(phone, "/profile/", "/help/", "/privacy/", "/thanks/", "/card/")
    shown = phone.page.locator(".said q")
    for _ in range(20):
        if shown.count() and HOSTILE in shown.text_content():
            break
        answer(phone, 3)
        if phone.page.locator("#more").count():
            phone.press("Next")
    assert HOSTILE in shown.text_content()
    harmless(phone)
    phone.check("card-hostile-seed")
    harmless(desk, HERE, f"{HERE}projector/")
