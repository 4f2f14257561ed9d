"""Multiple-choice questions from associations, after LACES (appendix B), in our own wording, and a made-up example."""

from __future__ import annotations

from pathlib import Path

from endoxa.instruments.questions.items.build import build_questions
from endoxa.instruments.questions.items.record import LANGUAGES, Questions
from endoxa.instruments.questions.options import QaOptions

__all__ = ["LANGUAGES", "SAMPLE", "QaOptions", "Questions", "build_questions"]


SAMPLE = Path(__file__).with_name("sample.csv")
"""36 mild associations in Spanish, English and Portuguese, written for endoxa and collected from nobody."""
