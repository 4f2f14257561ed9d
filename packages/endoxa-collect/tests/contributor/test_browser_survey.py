"""The survey on a phone, and one phone for several people: nothing of one of them is lost or stored as theirs."""

from __future__ import annotations

import re

import pytest

from collect_support.browsing import cut, forgive_the_network, join, mend, until, visit

PAGES_AT_HAND = """async () => {
  const kept = await (await caches.open("endoxa-1")).keys();
  return kept.filter((each) => /\\/(card|survey)\\/.+/.test(new URL(each.url).pathname)).length > 3
    && Boolean(navigator.serviceWorker.controller);
}"""
NOTHING_AT_HAND = "async () => (await caches.keys()).length === 0"
WAITING = "() => Object.keys(JSON.parse(localStorage.getItem('endoxa.answers') || '{}')).length"
NOTHING_OF_THE_FIRST = f"async () => ({WAITING})() === 0"
AFTER = "Next speaker"


@pytest.fixture(scope="module")
def preset():
    return "afristereo"


@pytest.fixture(scope="module")
def interviews(site):
    """The site, whose code is that of an interviewer meanwhile."""
    site.change("update collect_joincode set interviewer = 'I1'")
    yield site
    site.change("update collect_joincode set interviewer = ''")


def speaker(one, site):
    """Somebody new on the phone, at the first question of the survey: their id."""
    join(one, site.join, "read_aloud", origin="KE")
    one.page.locator(".actions .primary").click()
    one.page.wait_for_url("**/survey/*/")
    return site.ask("select id from collect_person order by rowid desc limit 1")[0][0]


def said(site, person):
    asked = "select question, text from collect_statement where person_id = ? order by id"
    return site.ask(asked, person)


def question_of(page):
    return re.search("/survey/([^/?]+)/", page.url)[1]


def test_the_survey_from_consent_to_thanks(phone, site):
    join(phone, site.join, origin="KE")
    phone.check("survey")
    phone.press("Start")
    phone.check("survey-question")
    [(person,)] = site.ask("select id from collect_person order by rowid desc limit 1")
    first, lines = question_of(phone.page), phone.page.locator("textarea[name=lines]")
    phone.press("Save")
    assert phone.page.get_by_text("Please write at least one line").count() == 1
    phone.check("survey-question-empty")
    lines.fill("Women run the market")
    phone.tap(".actions .primary")
    phone.press("Nothing comes to mind")
    assert [text for _, text in said(site, person)] == ["Women run the market", ""]
    phone.go("/survey/")
    phone.check("survey-begun")
    phone.page.locator("main ol a").first.click()
    phone.page.wait_for_url(f"**/survey/{first}/")
    lines.fill("Women sing all day")
    phone.tap(".actions .primary")
    assert said(site, person)[0] == (first, "Women sing all day")
    while phone.page.locator("button[name=nothing]").count():
        phone.tap("button[name=nothing]")
    phone.page.wait_for_url("**/survey/")
    phone.check("survey-done")
    phone.press("Go on")
    phone.page.wait_for_url("**/thanks/")


def test_a_phone_is_handed_on_once_all_is_sent(browser, interviews):
    with visit(browser, interviews.address) as one:
        first = speaker(one, interviews)
        until(one, PAGES_AT_HAND)
        cut(one)
        for number in range(3):
            at = question_of(one.page)
            one.page.locator("textarea[name=lines]").fill(f"line {number}")
            # Two quick taps are one answer.
            one.page.locator(".actions .primary").dblclick(no_wait_after=True)
            one.page.wait_for_function("at => !location.pathname.includes(at)", arg=f"/{at}/")
        assert one.page.evaluate(WAITING) == 3
        assert said(interviews, first) == []
        # The network is back for pages, and loses what is sent.
        one.context.set_offline(False)
        one.go("/thanks/")
        address = one.page.url
        one.page.get_by_role("button", name=AFTER).click()
        one.page.get_by_text("The next person can begin when everything is sent.").wait_for()
        one.check("next-speaker")
        assert one.page.url == address
        mend(one)
        one.page.locator("#waiting button").click()
        one.page.wait_for_url(f"{interviews.address}/j/*/", timeout=60_000)
        assert sorted(text for _, text in said(interviews, first)) == ["line 0", "line 1", "line 2"]
        until(one, NOTHING_OF_THE_FIRST)
        forgive_the_network(one)


def test_the_next_speaker_finds_no_page_of_the_earlier_one(browser, interviews):
    with visit(browser, interviews.address) as one:
        speaker(one, interviews)
        until(one, PAGES_AT_HAND)
        question = one.page.url
        one.go("/thanks/")
        one.press(AFTER)
        one.page.wait_for_url(f"**{interviews.join}")
        until(one, NOTHING_AT_HAND)
        assert one.page.evaluate("localStorage.length") == 0
        one.context.set_offline(True)
        for address in (question, f"{interviews.address}/", f"{interviews.address}/survey/"):
            with pytest.raises(Exception, match="ERR_INTERNET_DISCONNECTED"):
                one.page.goto(address)
        one.context.set_offline(False)
        forgive_the_network(one)
