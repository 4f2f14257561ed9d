"""The battery of sentences: every finding of a page is read again and held against the estimates it rests on.

This is a second reading, written apart from the one that made the sentences: it knows what phrases claim, recomputes
each verdict from the numbers of its row, and looks for every number of the sentence among them. Pages of other
packages can be checked in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite, isnan
from typing import Any

from endoxa.report.document import Finding, Section

PHRASES: dict[str, tuple[str, ...]] = {
    "above": (
        "more often than",
        "leans towards the stereotype",
        "lean towards the stereotype",
        "is nearer to 0",
        "is higher",
        "are higher",
        "lies nearer",
        "more harmful",
        "go together",
        "agree on more than the attribute",
        "better than the mean",
    ),
    "below": (
        "less often than",
        "leans against the stereotype",
        "lean against the stereotype",
        "is farther from 0",
        "is lower",
        "are lower",
        "less harmful",
        "go against each other",
        "agree less on the same",
        "worse than the mean",
    ),
    "unclear": ("not distinguishable",),
    "cannot-be-tested": ("cannot be tested",),
}
"""What a sentence claims by its words, for each verdict."""

EITHER_WAY: tuple[str, ...] = ("lies nearer",)
"""Phrases that claim a direction by the order of names, not by themselves: they go with `above` and with `below`."""

_BROKEN = re.compile(r"\bnan\b|\bNone\b|\bn/a\b|\binf\b|  |\(\)|\(,|;;|\.\.|%\s?%|[−-]0(\.0+)?\b(?![.\d])")
_NUMBER = re.compile(r"(?<![\w.])[+−-]?\d[\d,]*(?:\.\d+)?")
_CONSTANTS = {"4", "5", "0"}
"""Numbers that sentences use as words: 4 times in 5, a distance from 0."""


def check_findings(sections: Iterable[Section], labels: Sequence[str] = ()) -> int:
    """Check every finding of a page; see `check_finding`.

    Args:
        sections: the sections of the page.
        labels: names of models, rules and data sets, whose digits are no numbers.

    Returns:
        How many findings were checked.

    Raises:
        AssertionError: a finding says what its estimates do not carry.
    """
    findings = [finding for section in sections for finding in section.findings]
    for finding in findings:
        check_finding(finding, labels)
    return len(findings)


def check_finding(finding: Finding, labels: Sequence[str] = ()) -> None:
    """Check one sentence.

    It is a whole sentence without undefined numbers; it claims what the verdicts of its rows say, all of it and
    nothing else; each verdict follows from the numbers of its row; each number in it belongs to a row.

    Raises:
        AssertionError: it fails; the message holds the sentence and what is wrong.
    """
    text, rows = finding.text, finding.rests_on
    where = f"«{text}»"
    assert text.strip() == text, f"{where}: blanks around it"
    assert text.endswith("."), f"{where}: no whole sentence"
    bare = _without(text, rows, labels)
    broken = _BROKEN.search(bare)
    assert broken is None, f"{where}: holds '{broken and broken[0]}'"
    for row in rows:
        check_verdict(row, where)
    if "lies nearer" in text:
        _check_nearer(text, rows, where)
    verdicts = {str(row["verdict"]) for row in rows if row.get("verdict")}
    for verdict, phrases in PHRASES.items():
        for phrase in phrases:
            allowed = {"above", "below"} if phrase in EITHER_WAY else {verdict}
            if phrase in bare:
                assert verdicts & allowed, f"{where}: claims '{phrase}', but rests on {verdicts or 'nothing'}"
    for verdict in verdicts:
        accepted = PHRASES[verdict] + (EITHER_WAY if verdict in ("above", "below") else ())
        says = len(rows) > 1 or any(phrase in bare for phrase in accepted) or "p_value" not in rows[0]
        assert says, f"{where}: rests on a row that is '{verdict}' and does not say so"
    if "corrected for the number of tests" in bare:
        pairs = [(_number(row["p_value"]), _number(row["p_adjusted"]), 1 - row["confidence"]) for row in rows]
        small = any(p <= alpha + 1e-9 < adjusted for p, adjusted, alpha in pairs)
        assert small, f"{where}: blames the correction, but no raw p-value is small"
    _check_numbers(text, rows, labels, where)


def check_verdict(row: Mapping[str, Any], where: str = "") -> None:
    """Recompute the verdict of a row of estimates from its numbers; rows without one are not looked at.

    Raises:
        AssertionError: the verdict does not follow.
    """
    verdict = row.get("verdict")
    if not verdict:
        return
    label = f"{where} {dict(row)}"
    if verdict == "cannot-be-tested":
        assert row.get("reason"), f"{label}: cannot be tested, and no reason is given"
        return
    value = _number(row.get("difference") if row.get("difference") is not None else row.get("value"))
    neutral, p, corrected = (_number(row.get(name)) for name in ("neutral", "p_value", "p_adjusted"))
    alpha = 1 - _number(row.get("confidence"))
    low, high = _number(row.get("low")), _number(row.get("high"))
    assert all(map(isfinite, (value, p, corrected))), f"{label}: a verdict without numbers"
    assert corrected >= p - 1e-12, f"{label}: the correction made a p-value smaller"
    if "n_partitions" in row:
        _check_permutations(row, label)
        return
    if verdict in ("above", "below"):
        assert corrected <= alpha + 1e-9, f"{label}: claimed, but p is {corrected} after correction"
        assert (value > neutral) == (verdict == "above"), f"{label}: claimed in the wrong direction"
        assert not low < neutral < high, f"{label}: claimed, but the interval holds the neutral value"
        clusters = row.get("clusters")
        enough = clusters is None or 2.0 ** (1 - clusters) <= alpha + 1e-9
        assert enough, f"{label}: too few clusters for any claim"
        return
    assert verdict == "unclear", f"{label}: no such verdict"
    unclear = corrected > alpha - 1e-9 or abs(value - neutral) < 0.001
    assert unclear, f"{label}: significant, but called unclear"
    if p > alpha + 1e-9 and isfinite(low):
        inside = low <= neutral + 1e-9 <= high + 2e-9
        assert inside, f"{label}: unclear, but the interval excludes the neutral value"


def _check_permutations(row: Mapping[str, Any], label: str) -> None:
    """The verdict of an association test, which may be one-sided; the interval agrees with a two-sided one."""
    effect, p, corrected = (_number(row.get(name)) for name in ("value", "p_value", "p_adjusted"))
    alpha, verdict = 1 - _number(row.get("confidence")), row["verdict"]
    side, partitions = row["alternative"], float(row["n_partitions"])
    assert 2 / partitions <= alpha + 1e-9, f"{label}: {partitions:g} partitions cannot reach {alpha:g}"
    claimed = corrected <= alpha + 1e-9 and abs(effect) >= 0.0005
    low, high = _number(row.get("low")), _number(row.get("high"))
    if side == "two-sided" and isfinite(low) and isfinite(_number(row.get("p_published"))):
        agrees = low <= 0 <= high if p > alpha + 1e-9 else not low < 0 < high
        assert agrees, f"{label}: interval and test disagree about 0"
    in_direction = side == "two-sided" or (side == "greater") == (effect > 0)
    expected = ("above" if effect > 0 else "below") if claimed and in_direction else "unclear"
    assert verdict == expected, f"{label}: the verdict does not follow"


def _check_nearer(text: str, rows: Sequence[Mapping[str, Any]], where: str) -> None:
    """'X lies nearer to A (rather than B) than Y does' belongs to a row whose effect size says so."""
    for row in rows:
        if row.get("verdict") in ("above", "below"):
            near, far = ("a", "b") if row["value"] > 0 else ("b", "a")
            if f"{row['x']} lies nearer to {row[near]} (rather than {row[far]}) than {row['y']} does" in text:
                return
    raise AssertionError(f"{where}: no claimed row lies in that direction")


def _check_numbers(text: str, rows: Sequence[Mapping[str, Any]], labels: Sequence[str], where: str) -> None:
    if not rows:
        return
    counts = [len(rows), *(sum(row.get("verdict") == phrase for row in rows) for phrase in PHRASES)]
    counts.append(counts[1] + counts[2])
    spoken = {str(count) for count in counts}
    for row in rows:
        for value in row.values():
            if isinstance(value, bool) or not isinstance(value, int | float) or isnan(value):
                continue
            for number in (value, 1 - value, 100 * value, 100 * (1 - value)):
                spoken |= {f"{number:.{digits}f}" for digits in range(4)} | {f"{number:g}"}
                spoken |= {"0.001"} if 0 <= number < 0.001 else set()  # '< 0.001'
    printed = _CONSTANTS | (spoken | {number.removeprefix("-") for number in spoken})
    for token in _NUMBER.findall(_without(text, rows, labels)):
        plain = token.replace("−", "-").replace(",", "").lstrip("+")
        known = {plain, plain.lstrip("-")} & printed
        assert known, f"{where}: the number {token} is in no row {rows}"


def _without(text: str, rows: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> str:
    """The sentence without names: of models, rules and data sets, and what its rows hold as text."""
    names = {str(value) for row in rows for value in row.values() if isinstance(value, str)} | set(labels)
    for name in sorted(names, key=len, reverse=True):
        if name and (not name.isalpha() or name in labels):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "NAME", text)
    return text


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
