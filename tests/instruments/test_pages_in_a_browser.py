"""Result pages as people see them: a desk, a phone and a dark room; nothing serious for axe, nothing sideways.

What the figures do: boxes choose what is drawn, marks speak, rows are downloaded; without scripts the pictures stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page
from playwright.sync_api import TimeoutError as TooLateError

import endoxa as ex
from collect_support.browsing import CHROMIUM, chromium
from endoxa.instruments.pairs.estimates import analyze_run
from endoxa.instruments.reports import write_report
from support import qa_questions, report_story_samples, report_test_samples
from support.report_samples import pairs, run_folder, scored

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="no browser is installed (apt-get install chromium-headless-shell)"
    ),
]
HOSTILE = '</script><!-- "age", <b>old</b>'
DESK = {"viewport": {"width": 1400, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}}
LOOKS = {"desk at night": {**DESK, "color_scheme": "dark"}, "phone by day": PHONE}
"""Both layouts and both sets of colours."""


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    questions = qa_questions.write(folder / "questions.jsonl", qa_questions.questions(48))
    asked = ex.probe_questions(questions, ["sim/biased", "sim/perfect"], progress=False)
    # An axis that ends scripts and comments, and that CSV must quote.
    items = pairs().with_columns(pl.col("axis").replace("age", HOSTILE))
    shares = {"a": 0.8, "b": 0.5, "c": 0.2, "d": 0.7, "e": 0.6, "f": 0.4}
    records = pl.concat([scored(items, model, "sum", share) for model, share in shares.items()])
    run = run_folder(folder / "run", records)
    tests = report_test_samples.run_folder(
        folder / "tests", report_test_samples.estimates(tuple(f"hf/{name}" for name in "abcde"))
    )
    found = report_story_samples.many_associations(20, ["a/one", "b/two"])
    found.write_csv(folder / "found.csv")
    return {
        "association tests": write_report([tests], folder / "tests.html"),
        "stories": write_report([folder / "found.csv"], folder / "stories.html"),
        "questions": asked.save_report(folder / "questions.html"),
        "pairs": write_report([run], folder / "pairs.html"),
    }


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", ["questions", "pairs", "association tests", "stories"])
def test_nothing_serious_is_found(name: str, look: str, pages: dict[str, Path], window: Browser) -> None:
    # The page forbids foreign scripts, which axe is.
    page = window.new_context(bypass_csp=True, **LOOKS[look]).new_page()
    page.goto(pages[name].as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= LOOKS[look]["viewport"]["width"]
    found = Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"][:160]) for one in serious] == []


@pytest.fixture(scope="module")
def cells(pages: dict[str, Path]) -> dict[tuple[str, str, str], float]:
    """Preference ratio by model, axis and language, from the estimates."""
    estimates = analyze_run(pages["pairs"].parent / "run").estimates
    rows = estimates.filter(name="preference_ratio", interval="identities")
    return {(row["model"], row["axis"], row["language"]): row["value"] for row in rows.iter_rows(named=True)}


def _opened(window: Browser, page: Path, **options: object) -> tuple[Page, list[str]]:
    """The page and what went wrong on it: errors, and requests for anything outside."""
    one = window.new_context(**{**DESK, **options}).new_page()
    faults: list[str] = []
    one.on("pageerror", lambda error: faults.append(str(error)))
    one.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    outside = ("file:", "blob:", "data:")
    one.on("request", lambda call: None if call.url.startswith(outside) else faults.append(call.url))
    one.goto(page.as_uri())
    return one, faults


def _downloaded(page: Page, link: Locator) -> pl.DataFrame:
    with page.expect_download() as waiting:
        link.click()
    assert waiting.value.suggested_filename.endswith(".csv")
    return pl.read_csv(waiting.value.path())


def _point_at(page: Page, mark: Locator, tip: Locator) -> None:
    """Point at a mark until its words are there: a page that still moves below the pointer tells it nothing."""
    for _ in range(20):
        page.mouse.move(1, 1)
        mark.hover(force=True)
        with suppress(TooLateError):
            tip.wait_for(timeout=500)
            return
    raise AssertionError("no words came")


def test_boxes_choose_what_is_drawn_and_marks_say_what_they_are(
    pages: dict[str, Path], window: Browser, cells: dict[tuple[str, str, str], float]
) -> None:
    page, faults = _opened(window, pages["pairs"])
    figure = page.locator("figure[data-closer]")
    assert figure.locator("[data-tip]").count() == 6  # six models over all axes
    figure.locator("select[name=model]").select_option("each model")
    figure.locator("select[name=axis]").select_option(HOSTILE)
    figure.locator("select[name=language]").select_option("Hindi")
    figure.locator(".plot[aria-label*=Hindi]").wait_for()
    marks = figure.locator(".plot[role=img] [data-tip]")
    assert figure.locator("output").inner_text().startswith("6 estimates.")
    wanted = sorted(
        ((cells[name, HOSTILE, "hi"], name) for name in "abcdef"), key=lambda row: (-row[0], row[1])
    )
    tips = [mark.get_attribute("data-tip") for mark in marks.all()]
    assert [tip.partition(" (")[0].partition(", n")[0] for tip in tips] == [
        f"{name} · {HOSTILE} · Hindi: {100 * value:.1f}\u00a0%" for value, name in wanted
    ]
    tip = page.get_by_role("status").and_(page.locator(".tip"))
    _point_at(page, marks.nth(1), tip)
    assert tip.text_content() == tips[1]
    figure.focus()
    page.keyboard.press("ArrowRight")
    tip.filter(has_text=tips[2]).wait_for()
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    assert not faults


def test_items_are_filtered_and_shown_one_by_one_and_the_view_is_the_address(
    pages: dict[str, Path], window: Browser
) -> None:
    page, faults = _opened(window, pages["pairs"])
    items, total = page.locator(".items"), pairs().height
    shown = items.locator("output")
    assert shown.inner_text() == f"{total} of {total} pairs."
    items.locator("label", has_text="Axis").locator("select").select_option(HOSTILE)
    of_axis = pairs().filter(pl.col("axis") == "age").height
    assert shown.inner_text() == f"{of_axis} of {total} pairs."
    items.get_by_label("only where the two differ").check()
    counted = shown.inner_text()
    article = items.locator(".item").nth(1)
    covered = article.locator(".sentence span").first
    assert covered.get_attribute("aria-hidden") == "true"
    items.locator(".item").first.focus()
    page.keyboard.press("PageDown")
    page.keyboard.press("Enter")
    assert covered.get_attribute("aria-hidden") == "false"
    assert items.locator(".item.open").count() == 1
    article.locator("a").click()
    name = article.locator("a").inner_text()
    assert items.locator("[aria-current]").locator("a").inner_text() == name
    other, _ = _opened(window, pages["pairs"])
    other.goto(page.url)
    other.reload()
    assert other.locator(".items output").inner_text() == counted
    assert other.locator("[aria-current] a").inner_text() == name
    assert not faults


def test_pictures_stand_without_scripts(pages: dict[str, Path], window: Browser) -> None:
    page, _ = _opened(window, pages["pairs"], java_script_enabled=False)
    figure = page.locator("figure[data-closer]")
    assert figure.locator(".plot").is_visible()
    assert not figure.locator("form").is_visible()
    assert _downloaded(page, figure.locator("a[download]")).height == 6 * 3 * 3
    ridges = page.locator("[aria-labelledby^=differences] figure")
    assert [one.locator(".curve").first.is_visible() for one in ridges.all()] == [True, True]
