"""Whether a pair may hurt, as contributors answered: the rule, and what follows from it.

What nobody judged is covered. People who opened such a pair and rated it are asked "Could this hurt someone?"; their
answers uncover the pair or keep it covered. Moderators, word lists and the organiser always win, and a pair that was
flagged or reported is never uncovered by answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum

from endoxa_collect.models import HurtAnswer, Hurts, Judged, Pair, Source

UNCLEAR = "hurt_unclear"
"""The flag of a pair whose answers do not agree: a moderator decides."""


class Verdict(StrEnum):
    """What the answers to a pair say together."""

    OPEN = "open"
    KIND = "kind"
    HURTS = "hurts"
    UNCLEAR = "unclear"


def verdict(answers: Mapping[str, int], needed: int) -> Verdict:
    """The rule: with fewer than `needed` people it stays open; then one doubt is enough to keep it covered.

    It does not hurt if everybody said no. It may hurt if more than half said yes. Everything else is unclear.

    Args:
        answers: number of people by answer (`models.Hurts`).
        needed: people who must have answered.
    """
    people = sum(answers.values())
    if people < needed:
        return Verdict.OPEN
    if answers.get(Hurts.NO, 0) == people:
        return Verdict.KIND
    return Verdict.HURTS if 2 * answers.get(Hurts.YES, 0) > people else Verdict.UNCLEAR


def judge(root: Pair, together: Sequence[int], needed: int) -> None:
    """Apply the answers to a pair and all that was merged into it (`together`, their ids); each person counts once.

    Within the lock of the campaign. Nothing happens where somebody else decided.
    """
    by_others = root.negative is not None and root.judged != Judged.PEOPLE
    if root.source == Source.SEED or by_others or root.judged in {Judged.MODERATOR, Judged.APPROVED}:
        return
    answers = HurtAnswer.objects.filter(pair__in=together).order_by("created_at", "pk")
    people = dict(answers.values_list("person_id", "answer"))
    outcome = verdict(Counter(people.values()), needed)
    flags = [flag for flag in root.flags if flag != UNCLEAR]
    negative = {Verdict.KIND: False, Verdict.HURTS: True}.get(outcome)
    if negative is False and flags:
        # Moderators decide about reports and flags.
        negative = None
    if outcome == Verdict.UNCLEAR:
        flags.append(UNCLEAR)
    judged = "" if negative is None else Judged.PEOPLE
    if (root.negative, root.judged, root.flags) != (negative, judged, flags):
        root.negative, root.judged, root.flags = negative, judged, flags
        root.save(update_fields=["negative", "judged", "flags"])
