"""Tutorials: every command runs, and prints what the page shows."""

from __future__ import annotations

import copy
import re
import socket

import pytest

from support.pages import PAGES, pictures, unprinted, with_cells
from support.repository import ROOT
from support.tutorials import HOME, Step, follow, unseen

FIRST = [ROOT / "README.md", ROOT / "docs/index.md", *HOME.glob("*.md")]
"""Pages that are tried first: what they need is in their visible text."""


@pytest.fixture
def offline(monkeypatch):
    """No other machine can be reached."""
    resolve = socket.getaddrinfo

    def refuse(host, *rest, **more):
        if host not in ("localhost", "127.0.0.1", "::1", None):
            raise OSError(f"{host}: there is no network here")
        return resolve(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.parametrize("page", FIRST, ids=[page.stem for page in FIRST])
def test_nothing_is_set_up_by_a_hidden_comment(page):
    text = page.read_text(encoding="utf-8")
    assert not re.findall(r"<!-- (?:file|copy|not run):", text)
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        assert "../" not in block, "a file of this repository's neighbour"


@pytest.mark.slow
def test_each_block_of_the_readme_runs_in_an_empty_folder(tmp_path, shared, offline, smollm2):
    """All but `endoxa demo`, which takes a minute; tests/demo has its lines."""
    steps = list(follow(ROOT / "README.md", tmp_path, shared, apart=True, without="endoxa demo"))
    assert len(steps) == 6
    for step in steps:
        assert not unseen(step), "shown, but not printed (in this order):\n" + step.printed


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_commands_print_what_the_page_shows(page, tmp_path, shared, offline, smollm2):
    printed = []
    for step in follow(page, tmp_path, shared):
        printed.append(step.printed)
        assert not unseen(step), f"{page.name}: shown, but not printed (in this order):\n" + step.printed
    assert printed
    for _, picture in pictures(page, tmp_path):
        assert picture.exists(), "run `make pictures`"
    assert with_cells(page, tmp_path) == page.read_text(encoding="utf-8"), "run `make pictures`"
    assert not unprinted(page, "\n".join(printed)), "numbers of the prose that the program does not print"


@pytest.mark.parametrize(
    ("shown", "missing"), [("a\n...\nc", []), ("a\nlost", ["lost"]), ("c\na", ["a"]), ("", [])]
)
def test_a_line_that_was_not_printed_or_too_early_is_noticed(shown, missing):
    lines = tuple(line for line in shown.splitlines() if line != "...")
    assert unseen(Step((), lines, "a  \nb\nc\n")) == missing


def test_a_number_of_the_prose_that_was_not_printed_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("75 % of 1,200 pairs in 2022 (`--limit 33`). <!-- numbers: 2022 -->\n")
    assert unprinted(page, "1200 pairs, 74.9 %") == {"75"}


def test_pictures_stay_small():
    assert sum(path.stat().st_size for path in (HOME.parent / "images").iterdir()) < 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["own-pairs", "stories"])
def test_a_notebook_gives_its_stored_outputs(name, tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    stored = nbformat.read(HOME / f"{name}-notebook.ipynb", as_version=4)
    again = copy.deepcopy(stored)
    nbclient.NotebookClient(
        again, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    assert any(texts(stored))
    assert texts(again) == texts(stored)


def texts(notebook):
    """What each cell of code prints and returns, as text without its white space."""
    return [
        "".join(
            output["text"] if output.output_type == "stream" else output["data"]["text/plain"]
            for output in cell.outputs
            if output.get("name") != "stderr"
        ).split()
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_every_tutorial_is_in_the_list():
    listed = (HOME / "README.md").read_text(encoding="utf-8")
    for page in (*HOME.glob("[a-z]*.md"), *HOME.glob("*.ipynb")):
        assert f"]({page.name})" in listed
