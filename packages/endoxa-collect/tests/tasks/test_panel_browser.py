"""The harm study on a cheap phone without JavaScript, in English and Arabic, to the link back and to deletion."""

from __future__ import annotations

import re

import pytest

from collect_support.browsing import visit
from collect_support.panel_people import associations
from collect_support.served import endoxa, serving

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "panel"
    endoxa("init", str(folder), "--preset", "panel", "--organisation", "River Lab", "--contact", "555-0100")
    table = associations(folder.parent / "assoc.csv", 14)
    settings = ["participant=PID", "block=10", "completion=https://panel.example/done"]
    chosen = [word for one in settings for word in ("--set", one)]
    made = endoxa("import", str(folder), str(table), "--task", "harm", *chosen)
    with serving(folder) as address:
        yield address, re.search(r"/t/\w+/", made)[0]


def go_on(one):
    one.page.locator(".actions .primary").click()
    one.page.wait_for_load_state()


def answer(one):
    """The item on the page, as it asks for; False at the end and at the break."""
    heading = one.page.locator("h1")
    if "/item/" not in one.page.url:
        return False
    wanted = {"harm": "3", "frequent": "unsure"}
    text = one.page.locator(".said").inner_text()
    for words, harm, frequent in (("“Agree”", "4", "no"), ("“Strongly disagree”", "1", "yes")):
        if heading.inner_text() == "Attention check" and words in text:
            wanted = {"harm": harm, "frequent": frequent}
    for name, value in wanted.items():
        one.page.locator(f"input[name={name}][value='{value}']").check()
    go_on(one)
    return True


@pytest.mark.parametrize(("language", "locale"), [("en", "en"), ("ar", "ar")])
def test_a_rater_on_a_phone(browser, study, language, locale):
    address, path = study
    with visit(browser, address, locale=locale) as one:
        one.go(f"{path}?PID={language}")
        one.check(f"panel-consent-{language}")
        for box in ("age", "take_part", "publication"):
            one.page.locator(f"input[name={box}]").check()
        one.page.locator(".actions button").last.click()
        one.page.wait_for_url("**/warning/")
        for name in ("warning", "see", "ask"):
            one.check(f"panel-{name}-{language}")
            go_on(one)
        for name, value in (("stance", "true"), ("asked", "reinforces"), ("apart", "apart")):
            one.page.locator(f"input[name={name}][value='{value}']").check()
        one.check(f"panel-quiz-{language}")
        go_on(one)
        one.forgive(422)
        one.check(f"panel-quiz-again-{language}")
        for name, value in (("stance", "found"), ("asked", "reinforces"), ("apart", "apart")):
            one.page.locator(f"input[name={name}][value='{value}']").check()
        go_on(one)
        one.check(f"panel-item-{language}")
        go_on(one)  # without an answer
        one.forgive(422)
        one.check(f"panel-item-error-{language}")
        while answer(one):
            pass
        one.check(f"panel-break-{language}")
        go_on(one)
        if language == "en":
            while answer(one):
                if one.page.locator("h1").inner_text() == "Attention check":
                    one.check("panel-attention")
            one.check("panel-end")
            assert one.page.get_by_role("link", name="Back to the panel").get_attribute("href") == (
                "https://panel.example/done"
            )
        one.go(f"{path}stop/")
        one.check(f"panel-stop-{language}")
        one.page.locator("button.danger").click()
        one.page.wait_for_url("**/deleted/")
        one.check(f"panel-deleted-{language}")
        one.go(f"{path}item/?PID={language}x")
        one.page.wait_for_url(f"**{path}")
        one.forgive(403)
