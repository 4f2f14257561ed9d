"""A contributor's phone, from the code to thanks and out again, in a real browser."""

from __future__ import annotations

import re

from collect_support.browsing import join, out_of_sight, visit
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
    cards = one.page.locator("form.answers, #reveal")
    further = [one.page.get_by_role(role, name="Next") for role in ("link", "button")]
    cards.or_(further[0]).or_(further[1]).first.wait_for()
    if cards.count() == 0:
        one.press("Next")
    token(one)


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
    phone.page.wait_for_load_state("networkidle")
    assert 0 < sum(size for _, size in phone.received) <= 60_000
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


def test_everything_works_without_javascript(plain_phone, site):
    one = plain_phone
    one.go(site.join)
    for box in ("age", "take_part"):
        one.page.locator(f"input[name={box}]").check()
    one.press("I agree")
    # The box that is missing is in sight, and leaves no trace in later addresses.
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
    card = token(one)
    at_home(site, card.replace("-", ""))
    answer(one)
    one.page.locator("#id_text").fill("walk after dinner")
    one.press("Add")
    next_card(one)
    assert ratings(site, card) == [(4,)]
    one.press("Undo")
    assert token(one) == card
    assert ratings(site, card) == []
    assert not site.ask("select 1 from collect_mention where text = 'walk after dinner'")
    one.page.locator("summary", has_text="Skip").click()
    one.press("I don't know")
    assert site.ask("select reason from collect_skip order by id desc limit 1") == [("dont_know",)]


def test_two_screens_and_six_taps_lead_to_the_first_card_in_arabic(browser, site):
    """Consent and profile: three boxes, "I agree", one country, "Go on"; on half of a small screen, in the dark."""
    look = {"locale": "ar", "color_scheme": "dark", "viewport": {"width": 180, "height": 320}}
    with visit(browser, site.address, **look) as one:
        page, taps = one.page, []

        def tap(button):
            button.tap()
            taps.append(page.url)

        one.go(site.join)
        assert page.locator("html").get_attribute("lang") == "ar"
        assert page.locator("html").get_attribute("dir") == "rtl"
        one.check("consent-ar")
        for box in ("age", "take_part", "publication"):
            tap(page.locator(f"input[name={box}]"))
        tap(page.locator("main .actions button").last)
        page.locator(".line-receipt").wait_for()
        one.check("profile-ar")
        assert page.locator("input[name=languages]:checked").count() == 1
        tap(page.locator("input[name=origins]").first)
        # There are no pairs in Arabic.
        page.locator("input[name=languages][value=es]").check()
        tap(page.locator(".actions button.primary"))
        page.wait_for_url("**/card/**")
        assert len(taps) == 6
        one.check("card-ar")
        page.locator("#skip > summary").click()
        one.check("card-skip-ar")


def say(site, card, attribute, *, negative):
    site.change(
        "update collect_pair set country = 'DO', key = id || 'unlike all others', attribute = ?, negative = ?"
        " where id = (select pair_id from collect_card where token = ?)",
        attribute,
        negative,
        card.replace("-", ""),
    )


def test_all_five_answers_are_in_sight_in_two_scripts(browser, site):
    """What cannot be seen is chosen less often. The country has a long name; the way back stands there too."""
    longest = ("sing along and dance until the sun comes up " * 3)[:MAX_LENGTH].strip()
    with visit(browser, site.address) as one:

        def in_sight(attribute):
            say(site, token(one), attribute, negative=False)
            for language in ("fr", "ar"):
                one.page.locator(".menu summary").click()
                one.page.locator(f".menu button[value={language}]").click()
                one.page.locator(f"html[lang={language}] form.answers").wait_for()
                assert one.page.locator("#undo").is_visible()
                assert out_of_sight(one, "form.answers button") == [], (language, attribute)

        join(one, site.join)
        at_home(site, token(one).replace("-", ""))
        answer(one)
        one.page.wait_for_url("**/add/")
        next_card(one)
        in_sight(longest)
        # The offer to leave out a topic pushes no answer away.
        before = token(one)
        one.page.locator("#skip > summary").click()
        one.page.locator("#skip button[value=rather_not]").click()
        one.page.locator("form[action*='/avoid/']").wait_for()
        assert token(one) != before
        in_sight("love poetry")


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


def test_with_the_keyboard_alone(phone, site):
    """The Tab key goes from top to bottom, a digit answers, and "u" takes the answer back."""
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
