"""The rooms of reviewers in a real browser: by keyboard alone, without a script, on a phone, in Arabic."""

from __future__ import annotations

import csv
from contextlib import contextmanager

import pytest

from collect_support.browsing import DESK, PHONE, visit
from collect_support.served import endoxa
from tasks.test_extraction import rows
from tasks.test_translation import rows as translations

TASKS = "/organise/laces/tasks/"
NAMED = {"Enter", "Escape", "Tab"}
NEXT = """old => document.readyState === "complete"
  && document.querySelector("#judge input[name=token]")?.value !== old"""


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
        endoxa("import", str(site.folder), str(path), "--task", kind, "--name", name, *options)
        return f"{TASKS}{name}/"

    return add


@contextmanager
def at(browser, site, cookies, address, first="#judge", **options):
    """A window on the first item of a task, or on its editor."""
    with visit(browser, site.address, storage_state=cookies, **{**DESK, **options}) as one:
        one.go(address)
        begin = one.page.locator("form[action$='/begin/'] button")
        if begin.count():  # once in a session
            begin.first.click()
        one.page.locator(first).wait_for()
        yield one


def press(one, *keys):
    """Press keys one after the other; the last one leads to another page."""
    token = one.page.locator("#judge input[name=token]").get_attribute("value")
    for key in keys:
        one.page.keyboard.press(key) if key in NAMED or len(key) == 1 else one.page.keyboard.type(key)
    one.page.wait_for_function(NEXT, arg=token)


def in_force(site, name, what="decision"):
    """Answers that stand, by what was decided."""
    return site.ask(
        f"select json_extract(j.answer, '$.{what}'), count(*) from collect_judgement j"
        " join collect_turn t on t.id = j.turn_id join collect_taskitem i on i.id = t.item_id"
        " join collect_task k on k.id = i.task_id where k.name = ? and not j.undone group by 1 order by 1",
        name,
    )


def test_statements_by_keyboard_alone_and_all_of_them_back(browser, site, signed_in, make):
    address = make("extraction", rows(20), "many", "--set", "needed=1")
    with at(browser, site, signed_in, address) as one:
        for number in range(20):
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
        assert in_force(site, "many") == [("edit", 2), ("keep", 12), ("omit", 3), ("split", 2)]
        one.page.keyboard.press("z")
        for _ in range(19):
            one.page.locator("#judge").wait_for()
            press(one, "z")
        assert in_force(site, "many") == []
        assert one.page.locator("[data-key=z]").count() == 0


def test_a_digit_rejects_only_where_the_reasons_are_open(browser, site, signed_in, make):
    address = make("extraction", rows(2), "digits")
    with at(browser, site, signed_in, address) as one:
        one.check("extraction-desk")
        one.page.keyboard.press("3")
        one.page.keyboard.press("x")
        one.page.keyboard.press("Escape")
        press(one, "3")
        # Of the two digits one rejects.
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
        "other_reading": "cooks | cheerful",
    }  # fmt: skip
    address = make("extraction", shown, f"phone-{language}")
    with at(browser, site, signed_in, address, **PHONE, locale=language) as one:
        assert "<b>&" in one.page.locator(".statement").inner_text()
        one.check(f"extraction-phone-{language}")
        one.page.locator("details.fold:not(.keys) > summary").first.click()
        one.page.locator("details.fold:not(.keys) > summary").last.click()
        one.check(f"extraction-phone-open-{language}")


@pytest.mark.parametrize("language", ["en", "ar"])
def test_translations_on_a_phone(browser, site, signed_in, make, language):
    shown = translations(1)[0] | {
        "language": "ar",
        "candidate_deepl-x1_more": "الخبازون في المدينة كسالى.",
        "candidate_deepl-x1_less": "الخبازون في المدينة مجتهدون.",
        "candidate_nllb-600m_more": "خبازو المدينة كسالى <b>.",
        "candidate_nllb-600m_less": "خبازو المدينة نشيطون جدا في عملهم.",
    }
    address = make("translation", [shown], f"choose-{language}")
    with at(browser, site, signed_in, address, **PHONE, locale=language) as one:
        assert "deepl" not in one.page.content()
        one.check(f"translation-phone-{language}")
        for fold in range(3):
            one.page.locator("#change summary").nth(fold).click()
        one.check(f"translation-phone-open-{language}")


def test_translations_by_keyboard(browser, site, signed_in, make):
    address = make("translation", translations(5), "keys", "--set", "needed=1")
    with at(browser, site, signed_in, address) as one:
        one.check("translation-desk")
        press(one, "2")
        press(one, "0")
        one.page.keyboard.press("e")
        one.page.keyboard.press("1")
        one.page.keyboard.type("De verdad: ")
        press(one, "Tab", "Tab", "Enter")
        press(one, "w", "Son vagos.", "Tab", "Son listos.", "Tab", "Enter")
        assert in_force(site, "keys", "choice") == [("candidate", 1), ("edited", 1), ("none", 1), ("own", 1)]
        for _ in range(4):
            press(one, "z")
        assert in_force(site, "keys", "choice") == []


PAIR = {
    "item_id": "p1", "sent_more": "Bakers are lazy.", "sent_less": "Bakers are not lazy.", "identity": "bakers",
    "attribute_more": "lazy", "attribute_less": "not lazy", "language": "en", "how": "negation",
}  # fmt: skip


def test_pairs_by_keyboard_with_the_live_check(browser, site, signed_in, make):
    address = make("pairs", [{**PAIR, "item_id": f"p{k}"} for k in range(4)], "pairs-keys")
    with at(browser, site, signed_in, address) as one:
        one.check("pairs-desk")
        one.page.keyboard.press("e")
        one.page.keyboard.type("Bakers are lazy.")
        assert one.page.locator("#live-same").is_visible()
        one.page.keyboard.press("Control+a")
        one.page.keyboard.type("Bakers are hardworking.")
        assert not one.page.locator("#live-same").is_visible()
        assert one.page.locator("#live-less mark").inner_text() == "hardworking."
        assert one.page.locator("#live-less").inner_text() == "Bakers are hardworking."
        press(one, "Escape", "a")
        press(one, "Enter")
        press(one, "x", "2")
        assert in_force(site, "pairs-keys", "state") == [("changed", 1), ("ok", 1), ("rejected", 1)]
        one.page.keyboard.press("e")
        one.page.keyboard.type("Cooks are lazy.")
        one.page.keyboard.press("Escape")
        one.page.keyboard.press("c")
        one.page.locator(".box.error").wait_for()
        one.forgive(422)
        one.check("pairs-desk-fault")


@pytest.mark.parametrize("language", ["en", "ar"])
def test_pairs_on_a_phone_without_a_script(browser, site, signed_in, make, language):
    shown = {
        **PAIR,
        "language": "hi",
        "sent_more": "वे लोग आलसी हैं।",
        "sent_less": "वे लोग मेहनती हैं।",
        "identity": "",
    }
    address = make("pairs", [shown], f"pairs-{language}")
    options = {**PHONE, "locale": language, "java_script_enabled": False}
    with at(browser, site, signed_in, address, **options) as one:
        one.page.locator("#sent_less").fill("वे लोग <b> बहुत मेहनती नहीं हैं।")
        one.page.locator("button[value=ok]").click()
        one.page.locator("button[value=despite]").wait_for()
        one.forgive(422)
        one.page.locator("button[value=despite]").click()
        one.page.locator(".after button").wait_for()
        assert in_force(site, f"pairs-{language}", "state") == [("changed", 1)]
    with visit(browser, site.address, storage_state=signed_in, **{**PHONE, "locale": language}) as one:
        one.go(make("pairs", [shown], f"look-{language}"))
        one.page.locator("form[action$='/begin/'] button").first.click()
        one.page.locator("details.fold:not(.keys) > summary").first.click()
        one.check(f"pairs-phone-{language}")
