"""A covered card and the page of words on a phone of 360 x 640: taps, what is in sight, the field for words."""

from __future__ import annotations

import re

import pytest

from collect_support.browsing import join, out_of_sight, visit

HEIGHT = 640
ABOVE_KEYBOARD = 300
"""Pixels from the top that the keyboard of a phone of 360 x 640 leaves free."""
TOKEN = re.compile(r"/card/([0-9a-f-]+)/(?:rate|reveal)/")


def token(one):
    return TOKEN.search(one.page.locator("form.answers, #reveal").first.get_attribute("action"))[1].replace(
        "-", ""
    )


def next_covered(one, site, words):
    """The next card, with words that somebody added about the country of `join`, and nobody judged."""
    card = token(one)
    site.change(
        "update collect_pair set negative = null, judged = '', source = 'contributor', flags = '[]',"
        " attribute = ?, language = 'en', country = 'AR', key = id || 'unlike all others'"
        " where id = (select pair_id from collect_card where token = ?)",
        words,
        card,
    )
    site.change(
        "update collect_card set revealed = 'covered', adds = 1, words = 1, ticks = 1, country = 'AR'"
        " where token = ?",
        card,
    )
    one.page.reload()
    one.page.locator("form.answers, #reveal").first.wait_for()
    return card


def bottom(box):
    return box["y"] + box["height"]


def stored(site, card):
    asked = "select c.revealed, r.value from collect_rating r join collect_card c on c.id = r.card_id where c.token = ?"
    return site.ask(asked, card)


def said(site, card):
    asked = (
        "select h.answer from collect_hurtanswer h join collect_card c on c.id = h.card_id where c.token = ?"
    )
    return site.ask(asked, card)


@pytest.mark.parametrize("language", ["es", "ar"])
def test_what_is_tapped_and_written_is_in_sight_in_two_scripts(browser, site, language):
    """A covered card; words and the question beside them; then the question alone."""
    scheme = "dark" if language == "ar" else "light"
    with visit(browser, site.address, locale=language, color_scheme=scheme) as one:
        page = one.page
        join(one, site.join)
        card = next_covered(one, site, "drink mate with their friends")
        one.check(f"covered-{language}")
        assert page.locator("q").count() == page.locator("form.answers").count() == 0
        for locator in ("#reveal button", "#skip > summary"):
            assert bottom(page.locator(locator).bounding_box()) <= HEIGHT
        # Keys answer nothing that nobody sees.
        page.keyboard.press("4")
        assert stored(site, card) == []
        page.locator("#reveal button").click()
        page.locator("form.answers button[value='4']").click()
        page.wait_for_url("**/add/")
        assert stored(site, card) == [("revealed", 4)]
        field, button = page.locator("#id_text"), page.locator(".one-line .button")
        field.focus()
        places = [bottom(each.bounding_box()) for each in (field, button)]
        assert page.evaluate("scrollY") == 0
        assert max(places) <= ABOVE_KEYBOARD, places
        # Both languages that the person reads are there, one of them ticked; what is said elsewhere is folded.
        assert page.locator(".written-in > .chips > label").count() >= 2
        assert page.locator("input[name=language]:checked").count() == 1
        assert out_of_sight(one, ".written-in > .chips > label") == []
        assert not page.locator("input[name=countries]").first.is_visible()
        assert bottom(page.locator(".hurts").bounding_box()) <= HEIGHT
        one.check(f"more-{language}")
        assert bottom(page.locator(".actions .primary").bounding_box()) <= HEIGHT
        page.locator(".hurts label").nth(1).click()
        page.locator(".actions .primary").click()
        page.wait_for_url("**/card/")
        assert said(site, card) == [("no",)]

        # Where no words are asked, whether they hurt is asked on a page of its own; nothing lies over an answer.
        card = next_covered(one, site, "come late to every meeting and then talk about the rain")
        site.change("update collect_card set adds = 0 where token = ?", card)
        page.locator("#reveal button").click()
        page.locator("form.answers button[value='2']").click()
        page.wait_for_url("**/hurt/")
        one.check(f"hurt-{language}")
        assert page.locator("#hurt button").count() == 3
        assert out_of_sight(one, "#hurt button, .actions .button") == []
        page.locator("#hurt button[value=unsure]").click()
        page.wait_for_url("**/card/")
        assert said(site, card) == [("unsure",)]
