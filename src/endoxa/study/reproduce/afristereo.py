"""AfriStereo's files in a data folder: reviewed statements, survey, pairs."""

from __future__ import annotations

HOME = "github.com/YUX-Cultural-AI-Lab/Afri-Stereo"
GOLD = ("gold.csv", "gold_dev.csv")
SURVEY = ("survey.csv", "survey_dev.csv")
PAIRS = "s_as_pairs.csv"
RESPONDENTS = 107
"""Participants (AfriStereo, 3.2, table 2)."""
EVALUATED_PAIRS = 123
"""Pairs that the authors' notebook evaluated (README of the shared data); their table of them is in no repository."""
CITATION = "AfriStereo (Le Beux et al. 2025, arXiv 2511.22016)"


def not_the_survey(respondents: int) -> str:
    """Why a survey is not the paper's whole one; empty where it is."""
    if respondents == RESPONDENTS:
        return ""
    return f"the file holds {respondents} of the {RESPONDENTS} respondents"
