"""What is stored. One module for each subject; a column that is not here is not kept.

Nobody's name, e-mail, address or device is stored for contributors. Times are exact in working data, where
cards expire and pace is measured, and rounded to the hour in exports.
"""

from endoxa_collect.models.campaign import Campaign, JoinCode, Membership, Role, SettingsVersion, State
from endoxa_collect.models.cards import (
    CLOSED,
    RATING_WORDS,
    Card,
    CardState,
    HurtAnswer,
    Hurts,
    Match,
    Rating,
    Revealed,
    Skip,
    SkipReason,
)
from endoxa_collect.models.groups import AttributeGroup, GroupChange, GroupMember, Likeness, seen
from endoxa_collect.models.mixed import REPORTED, MixedAnswer, MixedCard, MixedKind
from endoxa_collect.models.pairs import Judged, Mention, Moderation, Pair, Source, Via
from endoxa_collect.models.people import Person, Statement
from endoxa_collect.models.records import (
    Act,
    Action,
    Attempts,
    AuditEntry,
    Claim,
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
from endoxa_collect.models.waves import Wave

__all__ = [
    "CLOSED",
    "COUNTING",
    "RATING_WORDS",
    "REPORTED",
    "Act",
    "Action",
    "Attempts",
    "AttributeGroup",
    "AuditEntry",
    "Campaign",
    "Card",
    "CardState",
    "Claim",
    "GroupChange",
    "GroupMember",
    "HurtAnswer",
    "Hurts",
    "JoinCode",
    "Judge",
    "JudgeState",
    "Judged",
    "Judgement",
    "Likeness",
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
    "record",
    "seen",
]
