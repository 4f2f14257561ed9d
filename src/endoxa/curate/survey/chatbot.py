"""Respondents whose answers look pasted from a chatbot: proposals for a reviewer, never deletions.

Two independent signs. *Amount*: at least 200 statements, and an outlier among the respondents by the modified z-score
of the logarithm of the count above 3.5 (Iglewicz and Hoaglin 1993, How to Detect and Handle Outliers). *Form*: lines
that people hardly ever type into a survey field and chatbots nearly always write: numbered or bulleted items with an
emphasised label and a colon, headings in Markdown, an introductory sentence "Here are some ...:".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

MANY = 200
OUTLIER = 3.5
FORMATTED_LINES = 5
"""Lines of chatbot form from which a respondent is flagged; one answer rarely has that many by chance."""

_MAD_TO_SD = 0.6745
_LEAST_SPREAD = 0.1
_FORM = re.compile(
    r"^[^\S\n]*(?:(?:\d{1,3}[.)]|[-*•])\s+[*_]{1,2}[^*_\n]{2,60}[*_]{1,2}\s*:?"  # 1. **Label**: ...
    r"|#{1,6}\s+\S"  # ## Heading
    r"|\*{1,2}[^*\n]{2,60}:?\*{1,2}:?\s*$"  # **Heading:**
    r"|(?:[-*•]\s+)[A-Z][^:.,\n]{2,40}:\s+[A-Z][^\n]{20,}"  # - Label: A sentence that explains it
    r"|(?:sure|certainly|of course|here (?:are|is)|voici|below are)\b[^\n]{0,120}:\s*$)",
    re.IGNORECASE | re.MULTILINE,
)


def formatted_lines(text: str) -> int:
    """How many lines of `text` have the form of a chatbot's answer."""
    return len(_FORM.findall(text))


def outliers(counts: Sequence[int]) -> list[bool]:
    """For each count whether it is at least `MANY` and an outlier among the others (see the module)."""
    logs = np.log([max(count, 1) for count in counts])
    middle = np.median(logs)
    spread = max(float(np.median(np.abs(logs - middle))), _LEAST_SPREAD)
    scores = _MAD_TO_SD * (logs - middle) / spread
    return [count >= MANY and bool(score > OUTLIER) for count, score in zip(counts, scores, strict=True)]


def chatbot_reasons(answers: Mapping[str, Sequence[str]], counts: Mapping[str, int]) -> dict[str, str]:
    """Why a respondent's answers look pasted, for those whose do.

    Args:
        answers: the answers of each respondent, by code.
        counts: how many statements each respondent made.
    """
    many = dict(zip(counts, outliers(list(counts.values())), strict=True)) if counts else {}
    reasons = {}
    for code, texts in answers.items():
        lines = sum(map(formatted_lines, texts))
        found = [f"{counts[code]} statements, far more than the others"] if many.get(code) else []
        if lines >= FORMATTED_LINES:
            found.append(f"{lines} lines formatted as a chatbot does")
        if found:
            reasons[code] = " and ".join(found)
    return reasons
