"""Result pages as people see them: a desk, a phone and a dark room; nothing serious for axe, nothing sideways."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

import endoxa as ex
from endoxa.instruments.reports import write_report
from support import qa_questions, report_story_samples, report_test_samples
from support.collect.browsing import CHROMIUM, chromium
from support.report_samples import pairs, run_folder, scored

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="no browser is installed (apt-get install chromium-headless-shell)"
    ),
]
LOOKS = {
    "desk": {"viewport": {"width": 1400, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}},
    "dark": {"viewport": {"width": 1400, "height": 900}, "color_scheme": "dark"},
}


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    questions = qa_questions.write(folder / "questions.jsonl", qa_questions.questions(48))
    asked = ex.probe_questions(questions, ["sim/biased", "sim/perfect"], progress=False)
    shares = {"a": 0.8, "b": 0.5, "c": 0.2, "d": 0.7}
    records = pl.concat([scored(pairs(), model, "sum", share) for model, share in shares.items()])
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


def test_contents_open_on_a_phone_and_what_was_run_is_closed(pages: dict[str, Path], window: Browser) -> None:
    page = window.new_context(**LOOKS["phone"]).new_page()
    page.goto(pages["pairs"].as_uri())
    contents = page.locator("nav > ol")
    assert not contents.is_visible()
    page.get_by_label("Show the contents").check()
    assert contents.is_visible()
    assert page.locator("details.folded[open]").count() == 0
    page.get_by_role("heading", name="What was run").click()
    assert page.locator("details.folded[open]").count() == 1
