"""A contributor's phone, from the code to thanks and out again, in a real browser."""

from __future__ import annotations

import re

import pytest

from collect_support.browsing import Visit, join, out_of_sight, visit
from endoxa_collect.campaign import UI_LANGUAGES
from endoxa_collect.entry.cleaning import MAX_LENGTH

MANY = "Many people here say it"


def on_card(one):
    """The answers; words that may hurt are shown first."""
    if (cover := one.page.locator("#reveal button")).count():
        cover.click()
    return one.page.locator("form.answers")


def answer(one):
    """Answer the card before one, whether or not its words are covered."""
    token(one)
    one.press(MANY)


def next_card(one):
    """Past the optional part, where there is one, to the next card."""
    if one.page.locator("form.answers, #reveal").count() == 0:
        one.press("Next")
    token(one)


def left(one, card):
    """Wait until the page of a card is gone."""
    one.page.locator(f"form.answers[action*='{card}']").wait_for(state="detached")
    one.page.wait_for_load_state()


def token(one):
    one.page.locator("form.answers, #reveal").first.wait_for()
    return re.search(r"/card/([0-9a-f-]+)/rate/", on_card(one).get_attribute("action"))[1]


def at_home(site, card):
    """Let the card be about the country of `join`, and ask for words."""
    site.change(
        "update collect_pair set country = 'AR', key = id || 'unlike all others'"
        " where id = (select pair_id from collect_card where token = ?)",
        card,
    )
    site.change("update collect_card set adds = 1, words = 1, country = 'AR' where token = ?", card)


def ratings(site, card):
    return site.ask(
        "select value from collect_rating r join collect_card c on c.id = r.card_id where token = ?",
        card.replace("-", ""),
    )


def test_from_the_code_to_thanks(phone, site):
    phone.go("/")
    phone.check("home")
    phone.page.get_by_role("textbox").first.fill(site.join.split("/")[2].lower())
    phone.page.get_by_role("textbox").first.press("Enter")
    phone.page.wait_for_url(f"**{site.join}")
    phone.check("consent")
    assert phone.page.locator("input[type=checkbox]:checked").count() == 0
    for box in ("18 years", "I want to take part", "may be published"):
        phone.page.get_by_label(re.compile(box)).check()
    phone.press("I agree")
    phone.page.wait_for_url("**/profile/**")
    phone.check("profile")
    phone.page.locator("input[name=origins][value=AR]").check()
    phone.page.locator("input[name=languages][value=es]").check()
    phone.page.locator("main form button.primary, .actions button.primary").last.click()
    phone.page.wait_for_url("**/card/**")
    phone.check("card")
    card = token(phone)
    at_home(site, card.replace("-", ""))
    answer(phone)
    phone.page.wait_for_url("**/add/")
    phone.check("card-more")
    phone.page.locator("#id_text").fill("sing in the street")
    phone.press("Add")
    field = phone.page.locator("#id_text")
    assert 0 < field.bounding_box()["y"] < phone.page.locator("#added").bounding_box()["y"] < 400
    phone.check("card-added")
    phone.press("Next")
    phone.check("card-next")
    assert ratings(site, card) == [(4,)]
    assert site.ask("select 1 from collect_mention where text = 'sing in the street'")
    phone.press("Stop for now")
    phone.check("thanks")
    for path in ("/privacy/", "/help/", "/leave/", "/pause/", "/receipt/", "/results/", "/no-thanks/"):
        phone.go(path)
        phone.check(path.strip("/"))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("no JavaScript", {"java_script_enabled": False}),
        ("Arabic", {"locale": "ar"}),
        ("Hindi", {"locale": "hi"}),
        ("from Colombia", {"locale": "es-CO"}),
    ],
)
def test_from_the_link_to_the_first_card(browser, site, name, options):
    """Two screens, consent and profile; three boxes, "I agree", one country, "Go on"."""
    screens = taps = 0
    look = (lambda _: None) if name == "no JavaScript" else Visit.check  # axe is a script
    with visit(browser, site.address, **options) as one:
        page = one.page
        one.go(site.join)
        screens += 1
        look(one)
        for box in ("age", "take_part", "publication"):
            page.locator(f"input[name={box}]").tap()
            taps += 1
        page.locator("main .actions button").last.tap()
        taps += 1
        page.locator("input[name=origins]").first.wait_for()
        screens += 1
        look(one)
        likely = page.locator("input[name=origins]").first
        assert page.locator("input[name=languages]:checked").count() == 1
        if name == "from Colombia":
            assert likely.get_attribute("value") == "CO"
            # Nobody has to scroll for it.
            seen = page.locator("label.chip:has(input[name=origins][value=CO])").bounding_box()
            assert seen["y"] + seen["height"] <= page.locator(".actions").bounding_box()["y"]
        likely.tap()
        page.locator(".actions button.primary").tap()
        taps += 2
        page.wait_for_url("**/card/**")
        look(one)
    assert (screens, taps) == (2, 6)


def test_the_first_page_is_short(browser, site):
    """What matters, the warning and the first box are on the first screen; the languages are one tap away."""
    for language in UI_LANGUAGES:
        with visit(browser, site.address, locale=language) as one:
            one.go(site.join)
            box = one.page.locator(".consent .tile").first.bounding_box()
            height = one.page.evaluate("document.documentElement.scrollHeight")
            warning = one.page.locator(".box.warning").bounding_box()
            assert warning["y"] + warning["height"] <= box["y"] <= 640
            assert height <= (1_100 if language == "en" else 1_250), (language, height)
            one.page.locator(".menu summary").click()
            assert len(out_of_sight(one, ".menu button")) == 0
            assert one.page.locator(".menu button").count() == len(UI_LANGUAGES)


def test_whose_language_is_not_there_finds_all_of_them_on_the_page(browser, site):
    with visit(browser, site.address, locale="de-DE") as one:
        one.go(site.join)
        assert one.page.locator("button.chip").count() == len(UI_LANGUAGES)
        assert out_of_sight(one, "button.chip") == []
        one.check("consent-tongue")


def test_a_box_that_is_missing_is_in_sight_and_leaves_no_trace_in_later_addresses(plain_phone, site):
    one = plain_phone
    one.go(site.join)
    for box in ("age", "take_part"):
        one.page.locator(f"input[name={box}]").check()
    one.press("I agree")
    assert out_of_sight(one, "#id_publication_error, input[name=publication]") == []
    one.page.locator("input[name=publication]").check()
    one.press("I agree")
    one.page.locator(".line-receipt").wait_for()
    assert one.page.url == f"{site.address}/profile/"
    one.go("/profile/?more=1#further")
    assert one.page.locator("#further").bounding_box()["y"] < 100
    one.page.locator("input[name=origins][value=AR]").check()
    one.press("Go on")
    assert one.page.url == f"{site.address}/card/"


def say(site, card, attribute, *, negative):
    site.change(
        "update collect_pair set country = 'DO', key = 'unlike all others', attribute = ?, negative = ? where id = "
        "(select pair_id from collect_card where token = ?)",
        attribute,
        negative,
        card.replace("-", ""),
    )


def test_all_five_answers_are_in_sight_in_every_language(phone, site):
    """What cannot be seen is chosen less often. The country has a long name; the way back stands there too."""
    join(phone, site.join)
    at_home(site, token(phone).replace("-", ""))
    answer(phone)
    phone.page.wait_for_url("**/add/")
    next_card(phone)
    card = token(phone)
    longest = " ".join(["sing", "along", "and", "dance", "until", "the", "sun", "comes", "up"] * 3)[
        :MAX_LENGTH
    ]
    for attribute in ("love poetry", longest):
        say(site, card, attribute, negative=False)
        for language in UI_LANGUAGES:
            phone.page.locator(".menu summary").click()
            phone.page.locator(f".menu button[value={language}]").click()
            phone.page.locator(f"html[lang={language}] form.answers").wait_for()
            assert phone.page.locator("#undo").is_visible()
            assert out_of_sight(phone, "form.answers button") == [], (language, attribute)


@pytest.mark.parametrize("look", ["en", "ar", "hi", "noscript"])
def test_the_offer_to_leave_out_a_topic_pushes_no_answer_out_of_sight(browser, site, look):
    options = {"java_script_enabled": False} if look == "noscript" else {"locale": look}
    with visit(browser, site.address, **options) as one:
        join(one, site.join)
        before = token(one)
        one.page.locator("#skip > summary").click()
        one.page.locator("#skip button[value=rather_not]").click()
        one.page.locator("form[action*='/avoid/']").wait_for()
        assert token(one) != before
        if one.page.locator("form.answers").count():
            assert out_of_sight(one, "form.answers button") == []


@pytest.mark.parametrize("language", ["sw", "ar"])
def test_the_reasons_to_skip_an_open_question_are_in_sight(browser, site, language):
    """The campaign begins without pairs in these languages."""
    with visit(browser, site.address, locale=language) as one:
        join(one, site.join, languages=())
        one.page.locator("#id_text").wait_for()
        one.page.locator("#skip > summary").click()
        boxes = [button.bounding_box() for button in one.page.locator("#skip form > button").all()]
        assert len(boxes) == 3
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 360 for box in boxes), boxes


def test_with_the_keyboard_alone(phone, site):
    join(phone, site.join)
    card = token(phone)
    at_home(site, card.replace("-", ""))
    phone.page.keyboard.press("4")
    phone.page.wait_for_url("**/add/")
    for _ in range(40):
        phone.page.keyboard.press("Tab")
        if phone.page.evaluate("document.activeElement.textContent.trim()") == "Next":
            break
    assert phone.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    phone.page.keyboard.press("Enter")
    token(phone)
    assert ratings(site, card) == [(4,)]
    phone.page.keyboard.press("u")
    phone.page.locator(f"form.answers[action*='{card}']").wait_for()
    assert ratings(site, card) == []


def tab_stops(one):
    """What the Tab key reaches on a page, in order: its name, else its words; each shows where the focus is."""
    told = []
    while len(told) < 40:
        one.page.keyboard.press("Tab")
        name, ringed = one.page.evaluate(
            """() => {
              const stop = document.activeElement;
              const words = stop.name || stop.textContent.trim().replace(/\\s+/g, " ");
              const ring = getComputedStyle(stop.closest(".tile, .chip") || stop).outlineStyle;
              return [stop === document.body ? "" : words, ring !== "none"];
            }"""
        )
        if not name:
            return told
        assert ringed, name
        told.append(name)
    raise AssertionError(told)


def test_the_tab_key_goes_from_top_to_bottom(phone, site):
    title = "What people say where you live"
    frame = ["Skip to the content", title, "Language: English", "Help"]
    foot = ["Leave and delete my data", "What is kept about me"]
    phone.go(site.join)
    boxes = ["age", "take_part", "publication", "keep_words"]
    assert tab_stops(phone) == [*frame, "Read it in full", *boxes, "No, thanks", "I agree", *foot]
    join(phone, site.join)
    token(phone)
    # Words that may hurt are uncovered by a press, and the focus goes on from there: a fresh page begins at its top.
    phone.go("/card/")
    sometimes = {"covers", "Keyboard"}
    stops = [stop for stop in tab_stops(phone) if stop not in sometimes]
    assert stops == [*frame, *["value"] * 5, "Skip", "Report", "Stop for now", *foot]


@pytest.mark.parametrize("width", [180, 360])
def test_letters_of_twice_the_size(browser, site, width):
    """A phone zoomed to 200 % is half as wide; one whose owner set large letters is not."""
    with visit(browser, site.address, viewport={"width": width, "height": 640 * width // 360}) as one:

        def look(shot):
            if width == 360:
                one.page.evaluate("document.documentElement.style.fontSize = '225%'")
            one.check(f"{shot}-large-{width}")

        one.go(site.join)
        look("consent")
        join(one, site.join)
        at_home(site, token(one).replace("-", ""))
        look("card")
        on_card(one).locator("button").first.click()
        one.page.wait_for_url("**/add/")
        look("card-more")


def test_in_the_dark(browser, site):
    with visit(browser, site.address, color_scheme="dark") as one:
        one.go(site.join)
        one.check("consent-dark")
        join(one, site.join)
        one.check("card-dark")
        one.page.locator("summary", has_text="Skip").click()
        one.check("card-skip-dark")
        one.page.keyboard.press("Escape")
        at_home(site, token(one).replace("-", ""))
        answer(one)
        one.page.wait_for_url("**/add/")
        one.check("card-more-dark")


def test_a_double_tap_answers_once(phone, site):
    join(phone, site.join)
    card = token(phone)
    phone.page.get_by_role("button", name=MANY).dblclick()
    left(phone, card)
    assert ratings(site, card) == [(4,)]
    assert site.ask("select count(*) from collect_rating group by card_id having count(*) > 1") == []


def test_another_answer_in_a_second_tab_is_told_that_the_first_one_counts(phone, site):
    join(phone, site.join)
    card = token(phone)
    second = phone.context.new_page()
    second.goto(f"{site.address}/card/")
    answer(phone)
    left(phone, card)
    second.locator("form.answers button[value='1']").click()
    second.get_by_text("your first answer counts").wait_for()
    assert ratings(site, card) == [(4,)]


def test_leaving_clears_what_the_script_kept(phone, site):
    join(phone, site.join)
    phone.page.evaluate(
        "localStorage.setItem('endoxa.keys', 'off'); localStorage.setItem('endoxa.answers', '{}')"
    )
    phone.go("/leave/")
    phone.press("Delete what I gave on this phone")
    phone.check("leave-sure")
    phone.press("Yes, delete it")
    phone.page.wait_for_url("**/left/**")
    phone.check("left")
    phone.page.wait_for_function("localStorage.length === 0")
    assert {cookie["name"] for cookie in phone.context.cookies()} <= {"csrftoken", "endoxa_language"}


def test_pages_are_small(phone, site):
    phone.go(site.join)
    phone.page.wait_for_load_state("networkidle")
    assert 0 < sum(size for _, size in phone.received) <= 60_000
    join(phone, site.join)
    first = len(phone.received)
    at_home(site, token(phone).replace("-", ""))
    answer(phone)
    phone.page.wait_for_url("**/add/")
    # Ten cards with their pages for words come in three parts, compressed.
    with phone.page.expect_response("**/at-hand/"):
        next_card(phone)
    phone.page.wait_for_load_state("networkidle")
    cards = [(url, size) for url, size in phone.received[first:] if size and "/static/" not in url]
    assert cards
    assert all(size <= 8_000 for _, size in cards), cards
    # The second page takes these from the browser's store, which is told like an answer of the site.
    files = {url: size for url, size in phone.received[first:] if "/static/" in url}
    assert sum(files.values()) <= 10_000, files
