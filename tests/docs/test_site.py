"""The documentation site builds, refuses broken links, and its pages fetch nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from collect_support.browsing import CHROMIUM, chromium
from support.repository import ROOT

for module in ("sphinx", "furo", "myst_nb", "sphinx_external_toc"):
    pytest.importorskip(module, reason="the site needs: pip install -c constraints.txt -e '.[site]'")

pytestmark = pytest.mark.slow


def build(source, out):
    """Build a site with the settings of ours; warnings are errors, as in `make site`."""
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"]
    return subprocess.run(
        [*command, "-c", str(ROOT / "docs"), "-d", str(out / "doctrees"), str(source), str(out / "site")],
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built once."""
    out = tmp_path_factory.mktemp("site")
    done = build(ROOT / "docs", out)
    assert done.returncode == 0, done.stderr
    return out / "site"


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no browser is installed (apt-get install chromium-headless-shell)")
    with chromium() as running:
        yield running


class Fetched(HTMLParser):
    """Addresses that a browser fetches by itself when it shows a page."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag != "a":
            self.found += [given[name] for name in ("src", "srcset", "data", "poster") if given.get(name)]
        if tag == "link" and given.get("rel") not in {"canonical", "index", "search", "next", "prev"}:
            self.found.append(given["href"])


def elsewhere(address):
    return re.match(r"\s*(https?:)?//", address) is not None


def test_pages_fetch_nothing_from_elsewhere(site):
    fetched = {address for page in site.rglob("*.html") for address in Fetched(page).found}
    assert len(fetched) > 20, "nothing was read"
    assert not [address for address in fetched if elsewhere(address)]
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not [
            one for one in re.findall(r"""(?:url\(|@import)\s*['"]?([^'")]*)""", text) if elsewhere(one)
        ]


def test_built_links_lead_to_pages_and_anchors(site):
    pages = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    anchors = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    broken = []
    for page, text in pages.items():
        for link in set(re.findall(r'<a [^>]*?href="([^"]+)"', text)) - {"#"}:
            address = urlsplit(unescape(link))
            if address.scheme:
                continue
            target = (page.parent / unquote(address.path)).resolve() if address.path else page
            reached = target in anchors if target.suffix == ".html" else target.exists()
            if not reached or (address.fragment and unquote(address.fragment) not in anchors[target]):
                broken.append(f"{page.name}: {link}")
    assert len(pages) > 80
    assert not broken


def test_a_line_that_begins_with_a_per_cent_sign_is_no_comment(site):
    assert "\n% power: for independent pairs" in (ROOT / "docs/probe/pairs.md").read_text(encoding="utf-8")
    assert "% power: for independent pairs" in (site / "probe/pairs.html").read_text(encoding="utf-8")


def test_pages_fit_a_phone_and_show_their_pictures(site, browser):
    window = browser.new_page(viewport={"width": 390, "height": 900})
    faults = []
    window.on("pageerror", lambda error: faults.append(str(error)))
    names = ("index", "gallery", "road", "reproduce", "options/probe", "methods/harm", "api/stats")
    for page in (*(site / f"{name}.html" for name in names), *(site / "tutorials").glob("*.html")):
        window.goto(page.as_uri())
        sizes = window.evaluate(
            "(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.documentElement)"
        )
        assert sizes[0] <= sizes[1], f"{page.name} scrolls sideways: {sizes}"
        assert not window.evaluate(
            "[...document.images].filter((one) => !one.naturalWidth).map((one) => one.src)"
        )
    assert not faults
    window.close()
