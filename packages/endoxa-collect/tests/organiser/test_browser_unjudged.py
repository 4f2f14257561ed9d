"""A pair that nobody judged, in the queue of moderators, at a desk and on a phone."""

from __future__ import annotations

import pytest

from collect_support.browsing import DESK, visit


@pytest.mark.parametrize(("name", "options"), [("desk", DESK), ("phone-ar", {"locale": "ar"})])
def test_whether_it_hurts_is_decided_with_one_button(browser, site, name, options):
    site.change(
        "update collect_pair set source = 'contributor', negative = null, judged = '', flags = '[]',"
        " key = 'tango ' || id, attribute = 'dance tango in the street'"
        " where id in (select id from collect_pair order by id limit 2)"
    )
    with visit(browser, site.address, **options) as one:
        one.go("/organise/login/")
        one.page.locator("input[name=username]").fill("organiser")
        one.page.locator("input[name=password]").fill(site.password)
        one.page.locator("main form button").last.click()
        one.page.wait_for_load_state()
        campaign = site.ask("select slug from collect_campaign")[0][0]
        one.go(f"/organise/{campaign}/moderation/")
        one.check(f"queue-unjudged-{name}")
        one.page.locator("ol.cards a.line-link").last.click()
        one.page.locator("#decide").wait_for()
        one.check(f"item-unjudged-{name}")
        before = site.ask("select count(*) from collect_pair where judged = 'approved'")[0][0]
        one.page.locator("article details.cover summary").click()
        one.page.locator("#decide button").first.click()
        one.page.locator(".done").wait_for()
        assert site.ask("select count(*) from collect_pair where judged = 'approved'")[0][0] == before + 1
        one.go(f"/organise/{campaign}/settings/care/")
        one.check(f"settings-care-{name}")
