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
READY = "body.with-keys"
"""The script of the keys has run on this page; before, a key would be lost."""
NEXT = """old => {
  const token = document.querySelector("#judge input[name=token]")?.value;
  return document.readyState === "complete" && token !== old
    && (token === undefined || document.body.classList.contains("with-keys"));
}"""


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
def at(browser, site, cookies, address, **options):
    """A window on the first item of a task, whose keys are pressed once they do something."""
    with visit(browser, site.address, storage_state=cookies, **{**DESK, **options}) as one:
        one.go(address)
        begin = one.page.locator("form[action$='/begin/'] button")
        if begin.count():  # once in a session
            begin.first.click()
        one.page.locator("#judge").wait_for()
        one.page.locator(READY).wait_for()
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
    address = make("extraction", rows(8), "many", "--set", "needed=1")
    with at(browser, site, signed_in, address) as one:
        for keys in (
            ("Enter",),
            ("a",),
            ("e", "night bakers", "Enter"),
            ("x", "3"),
            ("w", "Escape", "d", "bakers", "Tab", "early risers", "Enter"),
            ("n", "a song", "Escape", "x", "8"),
            ("k",),
            ("Enter",),
        ):
            press(one, *keys)
        assert one.page.get_by_role("heading", level=1).inner_text() == "Nothing is left for you here"
        assert in_force(site, "many") == [
            ("edit", 1),
            ("keep", 3),
            ("omit", 2),
            ("split", 1),
        ]  # and one skipped
        one.page.locator(READY).wait_for()
        one.page.keyboard.press("z")
        one.page.locator("#judge").wait_for()
        one.page.locator(READY).wait_for()
        for _ in range(7):
            press(one, "z")
        assert in_force(site, "many") == []
        assert one.page.locator("[data-key=z]").count() == 0


PAIR = {
    "item_id": "p1", "sent_more": "Bakers are lazy.", "sent_less": "Bakers are not lazy.", "identity": "bakers",
    "attribute_more": "lazy", "attribute_less": "not lazy", "language": "en", "how": "negation",
}  # fmt: skip
ON_A_PHONE = {
    "extraction": rows(1)[0] | {
        "statement": "People say bakers here are always cheerful <b>&",
        "original_statement": "Les boulangers sont gais",
        "language": "fr", "country": "Chile", "question": "work", "omit": "true", "omit_reason": "noise",
        "other_reading": "cooks | cheerful",
    },
    "translation": translations(1)[0] | {
        "language": "ar",
        "candidate_deepl-x1_more": "الخبازون في المدينة كسالى.",
        "candidate_deepl-x1_less": "الخبازون في المدينة مجتهدون.",
        "candidate_nllb-600m_more": "خبازو المدينة كسالى <b>.",
        "candidate_nllb-600m_less": "خبازو المدينة نشيطون جدا في عملهم.",
    },
}  # fmt: skip


@pytest.mark.parametrize(("kind", "language"), [("extraction", "ar"), ("translation", "en")])
def test_an_item_on_a_phone(browser, site, signed_in, make, kind, language):
    address = make(kind, [ON_A_PHONE[kind]], f"{kind}-{language}")
    with at(browser, site, signed_in, address, **PHONE, locale=language) as one:
        if kind == "extraction":
            assert "<b>&" in one.page.locator(".statement").inner_text()
        assert "deepl" not in one.page.content()
        one.check(f"{kind}-phone-{language}")
        folds = one.page.locator("#change summary, details.fold:not(.keys) > summary")
        for fold in folds.all():
            fold.click()
        one.check(f"{kind}-phone-open-{language}")


def test_pairs_by_keyboard_with_the_live_check(browser, site, signed_in, make):
    address = make("pairs", [{**PAIR, "item_id": f"p{k}"} for k in range(4)], "pairs-keys")
    with at(browser, site, signed_in, address) as one:
        one.check("pairs-desk")
        one.page.keyboard.press("e")
        one.page.keyboard.type("Bakers are lazy.")
        one.page.locator("#live-same").wait_for()
        one.page.keyboard.press("Control+a")
        one.page.keyboard.type("Bakers are hardworking.")
        one.page.locator("#live-same").wait_for(state="hidden")
        one.page.locator("#live-less mark", has_text="hardworking.").wait_for()
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
