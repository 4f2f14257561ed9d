"""Multiple-choice questions from associations, as LACES makes them (its appendix B), in wording of our own.

A made-up table of associations to try `endoxa build qa` with.
"""

from __future__ import annotations

from pathlib import Path

from endoxa.instruments.questions.items.build import build_questions
from endoxa.instruments.questions.items.record import LANGUAGES, Questions
from endoxa.instruments.questions.options import QaOptions

__all__ = ["LANGUAGES", "SAMPLE", "QaOptions", "Questions", "build_questions"]


SAMPLE = Path(__file__).with_name("sample.csv")
"""36 mild associations in Spanish, English and Portuguese, written for endoxa and collected from nobody."""
