"""The rooms of reviewers in a real browser: by keyboard alone, without a script, on a phone, in Arabic."""

from __future__ import annotations

import csv
from contextlib import contextmanager

import pytest

from support.collect.browsing import CHROMIUM, DESK, PHONE, visit
from support.collect.served import endoxa
from tests.collect.tasks.test_extraction import rows

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no browser is installed (apt-get install chromium-headless-shell)"
)

TASKS = "/organise/laces/tasks/"


@pytest.fixture(scope="module")
def signed_in(browser, site):
    """Cookies of the organiser."""
    with visit(browser, site.address, **DESK) as one:
        one.go("/organise/login/")
        one.page.get_by_label("Name").fill("organiser")
        one.page.get_by_label("Password").fill(site.password)
        one.press("Sign in", exact=True)
        one.page.locator(".menu summary", has_text="organiser").wait_for()
        return one.context.storage_state()


@pytest.fixture(scope="module")
def make(site, tmp_path_factory):
    """A function that makes a task of rows, by the command line."""

    def add(kind, items, name, *options):
        path = tmp_path_factory.mktemp("items") / "items.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(items[0]))
            writer.writeheader()
            writer.writerows(items)
        endoxa("task", "add", str(site.folder), "--kind", kind, "--items", str(path), "--name", name, *options)
        return f"{TASKS}{name}/"

    return add


@contextmanager
def at(browser, site, cookies, address, **options):
    """A window on the first item of a task."""
    with visit(browser, site.address, storage_state=cookies, **{**DESK, **options}) as one:
        one.go(address)
        one.page.locator("form[action$='/begin/'] button").first.click()
        one.page.locator("#judge").wait_for()
        yield one


def press(one, *keys):
    """Press keys one after the other; the last one leads to another page."""
    token = one.page.locator("#judge input[name=token]").get_attribute("value")
    for key in keys:
        one.page.keyboard.press(key) if len(key) == 1 or key[0].isupper() else one.page.keyboard.type(key)
    one.page.wait_for_function(
        "old => document.readyState === 'complete' && document.querySelector('#judge input[name=token]')?.value !== old",
        arg=token,
    )


def in_force(site, name):
    """Answers that stand, by what was decided."""
    return site.ask(
        "select json_extract(j.answer, '$.decision'), count(*) from collect_judgement j"
        " join collect_turn t on t.id = j.turn_id join collect_taskitem i on i.id = t.item_id"
        " join collect_task k on k.id = i.task_id where k.name = ? and not j.undone group by 1 order by 1",
        name,
    )


def test_fifty_statements_by_keyboard_alone_and_all_of_them_back(browser, site, signed_in, make):
    address = make("extraction", rows(50), "fifty", "--set", "needed=1")
    with at(browser, site, signed_in, address) as one:
        for number in range(50):
            if number % 10 == 3:
                press(one, "e", "night bakers", "Enter")
            elif number % 10 == 5:
                press(one, "x", "3")
            elif number % 10 == 7:
                press(one, "w", "Escape", "d", "bakers", "Tab", "early risers", "Enter")
            elif number == 8:
                press(one, "n", "a song", "Escape", "x", "8")
            elif number == 9:
                press(one, "k")
            else:
                press(one, "Enter" if number % 2 else "a")
        assert one.page.get_by_role("heading", level=1).inner_text() == "Nothing is left for you here"
        assert in_force(site, "fifty") == [("edit", 5), ("keep", 33), ("omit", 6), ("split", 5)]
        one.page.keyboard.press("z")
        for _ in range(49):
            one.page.locator("#judge").wait_for()
            press(one, "z")
        assert in_force(site, "fifty") == []
        assert one.page.locator("[data-key=z]").count() == 0


def test_a_digit_rejects_only_where_the_reasons_are_open(browser, site, signed_in, make):
    address = make("extraction", rows(2), "digits")
    with at(browser, site, signed_in, address) as one:
        one.page.keyboard.press("3")
        one.page.keyboard.press("x")
        one.page.keyboard.press("Escape")
        one.page.wait_for_timeout(200)
        assert in_force(site, "digits") == []
        press(one, "3")
        assert in_force(site, "digits") == [("omit", 1)]
        one.page.keyboard.press("x")
        one.page.keyboard.press("8")
        one.page.locator("#note-fault").wait_for()
        one.forgive(422)
        assert one.page.evaluate("document.activeElement.id") == "note"


@pytest.mark.parametrize("language", ["en", "ar"])
def test_extraction_on_a_phone(browser, site, signed_in, make, language):
    shown = rows(1)
    shown[0] |= {
        "statement": "People say bakers here are always cheerful <b>&",
        "original_statement": "Les boulangers sont gais",
        "language": "fr", "country": "Chile", "question": "work", "omit": "true", "omit_reason": "noise",
    }  # fmt: skip
    address = make("extraction", shown, f"phone-{language}")
    with at(browser, site, signed_in, address, **PHONE, locale=language) as one:
        assert "<b>&" in one.page.locator(".statement").inner_text()
        one.check(f"extraction-phone-{language}")
        one.page.locator("details.fold:not(.keys) > summary").first.click()
        one.page.locator("details.fold:not(.keys) > summary").last.click()
        one.check(f"extraction-phone-open-{language}")


def test_extraction_at_a_desk_without_a_script(browser, site, signed_in, make):
    address = make("extraction", rows(2), "plain")
    with at(browser, site, signed_in, address, java_script_enabled=False) as one:
        one.page.locator("#attribute").fill("merry")
        one.press("Accept these words")
        one.page.locator("summary", has_text="Reject").click()
        one.press("It has no meaning")
        assert in_force(site, "plain") == [("edit", 1), ("omit", 1)]
