"""Votes on tuples: whether people say this of them (IndiBias, 4.1: three annotators a tuple, two must agree)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from endoxa_collect.tasks.rooms import Answer, AnswerForm, Content, JudgedItem, Number, PanelSettings, Room

YES, NO, UNSURE = "yes", "no", "unsure"


class VoteSettings(PanelSettings):
    """Settings of votes.

    Attributes:
        needed: votes on each tuple (n).
        least: how many of them must say yes (k).
        unsure_counts: an unsure vote is one of the n; otherwise another judge is asked.
    """

    needed: Number = 3
    least: Number = 2
    unsure_counts: bool = True


class VoteForm(AnswerForm):
    """One choice, nothing preselected."""

    vote = forms.ChoiceField(choices=[(vote, vote) for vote in (YES, NO, UNSURE)])


class VoteRoom(Room):
    """Votes: n on each tuple, of which k must say yes."""

    kind = "votes"
    title = gettext_lazy("Votes")
    columns = {"identity": "the people it is said of", "attribute": "what is said of them"}
    optional = {"source": "who or what named the tuple; hidden unless the task shows it"}
    settings = VoteSettings
    form = VoteForm
    template = "tasks/votes.html"
    answers = ("vote",)
    panel = True

    def needed(self, settings: VoteSettings, content: Content, answers: Sequence[Answer]) -> int:  # noqa: ARG002
        """Another one for each judge who is not sure, where these do not count."""
        unsure = 0 if settings.unsure_counts else sum(answer["vote"] == UNSURE for answer in answers)
        return settings.needed + unsure

    def outcome(self, settings: VoteSettings, item: JudgedItem) -> dict[str, Any]:
        """Votes by choice; accepted with at least `least` of them for yes, empty while votes are missing."""
        votes = Counter(judgement.answer["vote"] for judgement in item.counting)
        counted = votes[YES] + votes[NO] + (votes[UNSURE] if settings.unsure_counts else 0)
        accepted = "true" if votes[YES] >= settings.least else "false" if counted >= settings.needed else ""
        return {**{name: votes[name] for name in (YES, NO, UNSURE)}, "accepted": accepted}


ROOM = VoteRoom()
