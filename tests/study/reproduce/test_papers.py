"""What five papers print: every number of their tables once, and what became of it."""

from __future__ import annotations

import re

import pytest

from endoxa.study.reproduce import RESULTS, reproduce
from endoxa.study.reproduce.run import papers

AXES = "Gender|Age|Profession|Ethnicity|Religion|Others"
TYPES = "Gender|Socioeconomic|Religion|Age|Caste|Physical-appearance|Disability"
ROWS = {
    "AfriStereo": ("000_", rf"^(?:{AXES}|Total)\t([\d,]+\t[\d,]+)$", r"\t(0\.\d\d\t<?0\.\d{4})\*?\t"),
    "IndiBias": (
        "004_",
        rf"^(?:{TYPES}|ICS \(mean\)|ICS \(std-dev\)) \|((?: [^|]+\|){{16}})",
        r", [CNP]/[FVU] \|(.*)",
        rf"^(?:Avg.*|Stereo|Antistereo|{TYPES}) \|((?: [\d.-]+ \|){{3}})$",
    ),
    "LACES": (
        "001_",
        r"^\| [^|]+ \|( \d+ \| [\d.]+ \| .*)",
        r"^\| [BER] \|(.*)",
        r"^\| [^|]+ \|( \d+ \| \d+ \|)$",
    ),
    "Name-based BBQ": ("003_", r"^(?:GPT|Claude|Gemini)[^\t]*\t(-?0\.\d.*)"),
    "StereoTales": ("002_",),
}
"""The file of a paper, and how rows of its tables look."""

ELSEWHERE = {
    # Table 2 (people; ages in percent and people; countries; genders), the combined total of table 5, five axes of
    # eleven models in table 8, ten cells of words in table 7; shares, ratios and p-values of the text.
    "AfriStereo": 1 + 2 * 5 + 3 + 2 + 1 + 5 * 11 + 10 + (2 + 4 + 4),
    # Two scores in each of 20 rows of table 8; 300 tuples; 800 = 542 + 258 pairs.
    "IndiBias": 2 * 20 + 1 + 3,
    # Sections 4, 4.2, 4.3, 5.1, 5.2 and 5.3.
    "LACES": 10 + 4 + 1 + 7 + 5 + 5,
    # Table 8; sections 5.1 and 5.4.
    "Name-based BBQ": 9 + 4 + 3,
    "StereoTales": 4 + 4 + 5 + 6 + 7,
}
"""Numbers that stand in no row of a table of numbers, counted by hand in the papers."""


def in_tables(text, patterns):
    """Numbers in rows of tables."""
    rows = [found[1] for pattern in patterns for line in text if (found := re.search(pattern, line))]
    return sum(len(re.findall(r"\d[\d.,]*", row)) for row in rows)


@pytest.mark.parametrize("name", ROWS)
def test_every_number_of_the_tables_is_counted_once(shared, name):
    begins, *patterns = ROWS[name]
    (path,) = (shared / "papers").glob(f"{begins}*.txt")
    text = path.read_text(encoding="utf-8").splitlines()
    (paper,) = (paper for paper in papers() if paper.name == name)
    assert paper.printed == paper.agree + paper.differ + paper.left_out
    assert paper.printed == in_tables(text, patterns) + ELSEWHERE[name]


def test_finished_reproductions_are_counted(shared, tmp_path):
    before = {paper.name: paper for paper in papers(tmp_path)}
    data = shared / "data" / "afristereo"
    reproduce(RESULTS.get("afristereo-composition"), data, tmp_path / "afristereo-composition")
    after = {paper.name: paper for paper in papers(tmp_path)}
    assert before["LACES"] == after["LACES"]
    assert after["AfriStereo"].printed == before["AfriStereo"].printed
    assert after["AfriStereo"].differ == before["AfriStereo"].differ + 3
    # Gender, Age and Religion of table 5; the countries and genders of table 2: what arithmetic implies counts already.
    assert after["AfriStereo"].reasons["the file holds 59 of the 107 respondents"] == 3 + 5
    assert not any("afristereo-composition was not run" in why for why in after["AfriStereo"].reasons)
