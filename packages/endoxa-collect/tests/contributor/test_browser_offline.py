"""A phone that loses the network: cards, words and the survey go on, and all is sent once."""

from __future__ import annotations

import re

import pytest

from collect_support.browsing import cut, forgive_the_network, join, mend, until, visit

AT_HAND = """async () => {
  const kept = await (await caches.open("endoxa-1")).keys();
  return kept.filter((each) => /card.[0-9a-f-]{36}.$/.test(new URL(each.url).pathname)).length;
}"""
KEPT = "Object.keys(JSON.parse(localStorage.getItem('endoxa.answers') || '{}')).length"
# A card, or the pause before it.
NEXT = "form.answers, #reveal, .actions a[href$='on=1']"
NOTHING_LEFT = """async () => {
  const workers = await navigator.serviceWorker.getRegistrations();
  const databases = await indexedDB.databases();
  return localStorage.length + (await caches.keys()).length + workers.length + databases.length === 0;
}"""


@pytest.fixture(scope="module")
def alone():
    """Whether words are asked depends on what others left over."""
    return "offline"


def at_hand(one, number=9):
    """Wait until the phone has the pages of so many cards, and its worker is in charge."""
    until(one, f"async () => (await ({AT_HAND})()) >= {number}")
    one.page.wait_for_function("navigator.serviceWorker.controller !== null")


def waiting(one):
    """What the line above the page says; "" where it is hidden."""
    line = one.page.locator("#waiting")
    return line.inner_text() if line.is_visible() else ""


def kept(one):
    return one.page.evaluate(KEPT)


def person_of(site):
    return site.ask("select id from collect_person order by rowid desc limit 1")[0][0]


def counts(site, person):
    asked = "select count(*), count(distinct pair_id) from collect_rating where person_id = ?"
    words = "select text from collect_mention where person_id = ? order by text"
    return site.ask(asked, person)[0], [row[0] for row in site.ask(words, person)]


def answer(one, words=""):
    """Answer the card before one, and write something where words are asked; whether they were."""
    page = one.page
    page.locator("form.answers, #reveal").first.wait_for()
    if (asks := page.locator("#reveal > button")).count():
        asks.click()
        page.locator("form.answers").wait_for(state="attached")
    if (cover := page.locator("#reveal > summary")).count():
        cover.click()
    before = page.locator("form.answers").get_attribute("action")
    page.locator("form.answers button[value='4']").click()
    page.locator(f"form.answers[action='{before}']").wait_for(state="detached")
    page.locator(f"{NEXT}, #id_text, #more").first.wait_for()
    if page.locator(NEXT).count():
        return False
    wrote = bool(words) and page.locator("#id_text").count() > 0
    if wrote:
        page.locator("#id_text").fill(words)
    page.locator(".actions .primary").click()
    page.locator(NEXT).first.wait_for()
    return wrote


def test_eight_answers_and_two_words_without_a_network_are_sent_once(browser, site):
    with visit(browser, site.address) as one:
        join(one, site.join)
        person = person_of(site)
        at_hand(one)
        cut(one)
        written = 0
        for number in range(8):
            words = f"whistle tune {number} at noon" if written < 2 else ""
            written += answer(one, words)
            if number == 2:
                one.check("offline-waiting")
                one.page.reload()
                one.page.locator("form.answers, #reveal").first.wait_for()
        assert written == 2
        assert kept(one) == 10
        assert "10" in waiting(one)
        assert counts(site, person) == ((0, 0), [])
        one.page.get_by_role("heading", name="A short rest?").wait_for()
        one.check("offline-pause")
        one.press("Go on")
        one.page.locator("form.answers, #reveal").first.wait_for()
        # A page that is not at hand says so, and leads back to the cards.
        one.go("/profile/")
        one.page.get_by_role("heading", name="No network").wait_for()
        one.check("offline-page")
        one.press("Try again")
        one.page.locator("form.answers, #reveal").first.wait_for()
        one.check("offline-ten-waiting")
        mend(one)
        one.page.get_by_text("Everything is sent.").wait_for(timeout=60_000)
        one.check("offline-sent")
        assert kept(one) == 0
        ratings, words = counts(site, person)
        assert ratings == (8, 8)
        assert len(words) == 2
        states = site.ask(
            "select offline, count(*) from collect_card where person_id = ? and state = 'answered' group by 1",
            person,
        )
        assert dict(states) == {0: 1, 1: 7}
        answer(one)
        assert counts(site, person)[0] == (9, 9)
        forgive_the_network(one)


def test_pages_of_somebody_else_count_for_nothing_and_lost_answers_are_not_sent_twice(browser, site):
    """In Arabic."""
    with visit(browser, site.address, locale="ar") as one:
        join(one, site.join)
        person, page = person_of(site), one.page
        at_hand(one)
        # A captive portal: every request gets its page, with status 200.
        sent = re.compile("/(card/.*/(rate|finish)|at-hand)/")
        page.route(sent, lambda route: route.fulfill(status=200, body="<p>Welcome to our Wi-Fi</p>"))
        first = answer(one, "wait for the rain")
        assert counts(site, person) == ((0, 0), [])
        assert kept(one) == 1 + first
        assert waiting(one)
        one.check("offline-waiting-ar")
        # The network takes everything to the site, and loses what it says.
        lost = []

        def lose(route):
            lost.append(route.request.url)
            route.fetch()
            route.abort()

        page.route(re.compile("/card/.*/(rate|finish)/"), lose)
        page.unroute(sent)
        with page.expect_event("requestfailed"):
            page.locator("#waiting button").click()
        assert lost
        assert kept(one) == 1 + first
        page.unroute_all()
        page.locator("#waiting button").click()
        until(one, f"async () => {KEPT} === 0")
        ratings, words = counts(site, person)
        assert ratings == (1, 1)
        assert len(words) == first
        forgive_the_network(one)


def test_leaving_on_this_phone_leaves_nothing(browser, site):
    with visit(browser, site.address) as one:
        join(one, site.join)
        at_hand(one, 3)
        one.go("/leave/")
        one.press("Delete what I gave on this phone")
        one.check("leave-sure")
        one.press("Yes, delete it")
        one.page.wait_for_url("**/left/**")
        one.check("left")
        until(one, NOTHING_LEFT)
        assert {cookie["name"] for cookie in one.context.cookies()} <= {"csrftoken", "endoxa_language"}
