"""The survey on a phone, from consent to thanks, in two scripts."""

from __future__ import annotations

from collect_support.browsing import cut, forgive_the_network, join, mend

# The page of a further question that the phone keeps.
FOLLOWING = """async (question) => {
  for (let waited = 0; waited < 150; waited += 1) {
    const kept = await (await caches.open("endoxa-1")).keys();
    const paths = kept.map((each) => new URL(each.url).pathname).filter((path) => path.startsWith("/survey/"));
    const following = paths.find((path) => path !== `/survey/${question}/`);
    if (following && paths.length > 3) return following;
    await new Promise((done) => setTimeout(done, 200));
  }
}"""


def statements(site):
    return site.ask("select question, text, language from collect_statement order by id desc")


def write(one, *lines):
    """Fill in the lines of a question and save."""
    one.page.locator("textarea[name=lines]").fill("\n".join(lines))
    one.tap(".actions .primary")


def question_of(one):
    return one.page.url.rstrip("/").rsplit("/", 1)[1]


def pass_over(one):
    """Nothing comes to mind about what is left."""
    while one.page.locator("button[name=nothing]").count():
        one.tap("button[name=nothing]")
    one.page.wait_for_url("**/survey/")


def without_a_network(one, site):
    """A question answered without a network: the next one is at hand, and the answer is sent once."""
    question, before = question_of(one), len(statements(site))
    one.page.wait_for_function("navigator.serviceWorker.controller !== null")
    one.page.locator("textarea[name=lines]").fill("Women run the harbour")
    following = one.page.evaluate(FOLLOWING, question)
    cut(one)
    one.page.locator(".actions .primary").click()
    one.page.wait_for_url(f"**{following}*")
    assert len(statements(site)) == before
    one.check("survey-waiting")
    mend(one)
    one.page.get_by_text("Everything is sent.").wait_for(timeout=60_000)
    assert len(statements(site)) == before + 1
    assert statements(site)[0] == (question, "Women run the harbour", "en")
    forgive_the_network(one)


def test_the_survey_from_consent_to_thanks(phone, site):
    join(phone, site.join, origin="KE")
    phone.check("survey")
    phone.press("Start")
    phone.check("survey-question")
    first = question_of(phone)
    phone.press("Save")
    phone.check("survey-question-empty")
    assert phone.page.get_by_text("Please write at least one line").count() == 1
    write(phone, "Women run the market", "Women sing at work")
    assert statements(site)[0] == (first, "Women run the market\nWomen sing at work", "en")
    phone.press("Nothing comes to mind")
    assert statements(site)[0][1] == ""
    without_a_network(phone, site)
    phone.go("/survey/")
    phone.check("survey-begun")
    phone.page.locator("main ol a").first.click()
    phone.page.wait_for_url(f"**/survey/{first}/")
    assert phone.page.locator("textarea[name=lines]").input_value().endswith("\nWomen sing at work")
    write(phone, "Women run the market", "Women sing all day")
    latest = "select text from collect_statement where question = ? order by person_id = ? desc"
    [(person,)] = site.ask("select id from collect_person order by rowid desc limit 1")
    assert site.ask(latest, first, person)[0] == ("Women run the market\nWomen sing all day",)
    pass_over(phone)
    phone.check("survey-done")
    phone.press("Go on")
    phone.page.wait_for_url("**/thanks/")
    phone.check("survey-thanks")
