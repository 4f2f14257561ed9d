"""What is stored. One module for each subject; a column that is not here is not kept.

Nobody's name, e-mail, address or device is stored for contributors. Times are exact in working data, where
cards expire and pace is measured, and rounded to the hour in exports.
"""

from typing import Any

from django.db.models import Model, QuerySet

from endoxa_collect.models.campaign import (
    Arrivals,
    Campaign,
    JoinCode,
    Membership,
    Person,
    Role,
    Sent,
    SettingsVersion,
    State,
    Statement,
    Wave,
)
from endoxa_collect.models.pairs import (
    CLOSED,
    HOLDING,
    RATING_WORDS,
    REPORTED,
    Card,
    CardState,
    HurtAnswer,
    Hurts,
    Judged,
    Match,
    Mention,
    MixedAnswer,
    MixedCard,
    MixedKind,
    Moderation,
    Pair,
    Rating,
    Revealed,
    Skip,
    SkipReason,
    Source,
    Via,
)
from endoxa_collect.models.records import (
    Act,
    Action,
    Attempts,
    AuditEntry,
    Claim,
    Edition,
    Release,
    Tombstone,
    record,
)
from endoxa_collect.models.tasks import (
    COUNTING,
    Judge,
    Judgement,
    JudgeState,
    Task,
    TaskItem,
    TaskState,
    Turn,
    TurnState,
)

ANSWERS: dict[str, type[Model]] = {
    "ratings": Rating,
    "mentions": Mention,
    "skips": Skip,
    "hurt_answers": HurtAnswer,
    "mixed": MixedAnswer,
    "statements": Statement,
}
"""What holds what people say, by the names of the tables in exports."""


def answers_of(**where: object) -> dict[str, QuerySet[Any]]:
    """What people say, as an export may hold it: rows of each table that has the columns of `where`."""
    columns = {lookup.partition("__")[0] for lookup in where}
    rows: dict[str, QuerySet[Any]] = {
        name: model._default_manager.filter(**where)
        for name, model in ANSWERS.items()
        if columns <= {field.name for field in model._meta.get_fields()}
    }
    if "mixed" in rows:
        rows["mixed"] = rows["mixed"].exclude(answer="")  # drawn, and not answered
    return rows


__all__ = [
    "ANSWERS",
    "CLOSED",
    "COUNTING",
    "HOLDING",
    "RATING_WORDS",
    "REPORTED",
    "Act",
    "Action",
    "Arrivals",
    "Attempts",
    "AuditEntry",
    "Campaign",
    "Card",
    "CardState",
    "Claim",
    "Edition",
    "HurtAnswer",
    "Hurts",
    "JoinCode",
    "Judge",
    "JudgeState",
    "Judged",
    "Judgement",
    "Match",
    "Membership",
    "Mention",
    "MixedAnswer",
    "MixedCard",
    "MixedKind",
    "Moderation",
    "Pair",
    "Person",
    "Rating",
    "Release",
    "Revealed",
    "Role",
    "Sent",
    "SettingsVersion",
    "Skip",
    "SkipReason",
    "Source",
    "State",
    "Statement",
    "Task",
    "TaskItem",
    "TaskState",
    "Tombstone",
    "Turn",
    "TurnState",
    "Via",
    "Wave",
    "answers_of",
    "record",
]
