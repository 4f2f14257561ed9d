"""The documentation site builds, refuses broken links, and its pages fetch nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

import endoxa
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


def test_every_public_name_has_a_reference(site):
    page = (site / "api/endoxa.html").read_text(encoding="utf-8")
    for name in endoxa.__all__:
        assert f'id="endoxa.{name}"' in page
    assert 'id="endoxa.Result.headline"' in page
    assert 'id="endoxa.stats.intervals.wilson"' in (site / "api/stats.html").read_text(encoding="utf-8")


def test_search_finds_words_of_pages_and_docstrings(site):
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    for stem in ("jackknif", "krippendorff", "lollipop"):
        assert (f'"{stem}":' in index or f"{stem}:" in index) == (stem != "lollipop")


def test_a_broken_link_fails_the_build(tmp_path):
    """Links that are right stand beside them, and are not complained of."""
    broken = ["missing.md", "other.md#missed-part", "#missed-anchor", "missing.png"]
    right = ["other.md", "other.md#a-part", "#pages"]
    links = [f"{'!' if one.endswith('png') else ''}[a link]({one})" for one in (*broken, *right)]
    source = tmp_path / "source"
    source.mkdir()
    (source / "index.md").write_text("# Pages\n\n" + "\n\n".join(links) + "\n")
    (source / "other.md").write_text("# Other\n\n## A part\n\nWords.\n")
    (source / "_toc.yml").write_text("root: index\nentries:\n  - file: other\n")
    done = build(source, tmp_path)
    assert done.returncode != 0
    complaints = done.stderr.splitlines()
    for one in broken:
        assert any(one.rpartition("#")[2] in line for line in complaints)
    assert sum("WARNING" in line and "index.md" in line for line in complaints) == len(broken)
