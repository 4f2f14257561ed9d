"""Lists of organisers in a real browser: at a desk, on a dark phone, in Arabic; decided about without JavaScript."""

from __future__ import annotations

import pytest

from collect_support.browsing import DESK, PHONE, visit

HERE = "/organise/laces/"


@pytest.fixture(scope="module")
def cookies(browser, site):
    with visit(browser, site.address, **DESK) as one:
        one.go("/organise/login/")
        one.page.get_by_label("Name").fill("organiser")
        one.page.get_by_label("Password").fill(site.password)
        one.press("Sign in", exact=True)
        return one.context.storage_state()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("desk", DESK),
        ("dark", {**PHONE, "color_scheme": "dark"}),
    ],
)
@pytest.mark.parametrize("language", ["en", "ar"])
def test_pages_fit_and_work(browser, site, cookies, name, options, language):
    with visit(browser, site.address, storage_state=cookies, **options) as one:
        one.go(f"{HERE}pairs/")
        if language == "ar":
            one.context.add_cookies([{"name": "endoxa_language", "value": "ar", "url": site.address}])
        one.go(f"{HERE}pairs/?country=CO")
        assert one.page.locator("ul.rows > li").count() == 18
        assert one.page.locator("ul.rows details.cover").count() == 4
        one.check(f"all-pairs-{name}-{language}")
        for page in (
            "codes",
            "log",
            "seeds",
            "seeds/add",
            "exports",
            "exports/restricted",
            "tasks",
            "new-task",
        ):
            one.go(f"{HERE}{page}/")
            one.check(f"{page.replace('/', '-')}-{name}-{language}")


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["q=la", "q=la&country=CO&tone=kind"])
def test_results_of_a_search_are_seen_without_scrolling(browser, site, cookies, asked):
    with visit(browser, site.address, storage_state=cookies, **DESK) as one:
        one.go(f"{HERE}pairs/?{asked}")
        first = one.page.locator("ul.rows > li").first
        assert one.page.evaluate("scrollY") == 0
        for part in ("q", ".quiet.small"):  # its words, its state
            box = first.locator(part).first.bounding_box()
            assert box["y"] + box["height"] <= DESK["viewport"]["height"]
        assert one.page.locator("details.more[open]").count() == 0
        summary = one.page.locator("details.more summary").inner_text()
        assert summary == ("Filters · Colombia · not unkind" if "country" in asked else "Filters")
        one.check(f"all-pairs-found-{len(asked)}")
