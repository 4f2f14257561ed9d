"""The queue of moderators: which pairs it holds, reasons in words, and who is looking at which."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import Case, IntegerField, Q, QuerySet, TextField, Value, When
from django.db.models.functions import Cast
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from endoxa_collect.campaign import UNLISTED
from endoxa_collect.cards.counts import UNCLEAR
from endoxa_collect.cards.locking import locked
from endoxa_collect.models import Action, Campaign, Claim, Moderation, Pair, SkipReason, Source

ESCALATED = "escalated"
"""The flag of a pair that a moderator handed to the organiser."""

FLAGS: dict[str, Promise] = {
    "name": gettext_lazy("It may name a person."),
    "email": gettext_lazy("It holds an e-mail address."),
    "phone": gettext_lazy("It holds what may be a phone number."),
    "handle": gettext_lazy("It holds the name of an account (@...)."),
    "link": gettext_lazy("It holds a link."),
    "watch_word": gettext_lazy("It holds a word from your list of words to watch."),
    "harm": gettext_lazy("It may call to harm somebody."),
    "accusation": gettext_lazy("It may accuse somebody whom others can recognise."),
    "slur": gettext_lazy("It holds a slur or a crude insult."),
    UNLISTED: gettext_lazy(
        "Nobody has checked these words: there is no list of slurs for their language. People see them covered."
    ),
    "long": gettext_lazy("It is long for something said of people."),
    "shouting": gettext_lazy("It is written in capitals."),
    SkipReason.REPORT_PERSONAL: gettext_lazy("Somebody reported that it is about a person."),
    SkipReason.REPORT_HATE: gettext_lazy("Somebody reported that it is hateful."),
    SkipReason.REPORT_NONSENSE: gettext_lazy("Somebody reported that it makes no sense."),
    SkipReason.REPORT_OTHER: gettext_lazy("Somebody reported it."),
    UNCLEAR: gettext_lazy("People do not agree whether it may hurt."),
    ESCALATED: gettext_lazy("A moderator asks the organiser to decide."),
}
"""Reasons by flag, as sentences."""

UNJUDGED = gettext_lazy("Nobody has judged yet whether it may hurt; people see it covered.")
"""Reason of a live pair without a flag."""

STATES: dict[str, Promise] = {
    Moderation.PENDING: pgettext_lazy("pair", "waits for a decision"),
    Moderation.LIVE: pgettext_lazy("pair", "shown to people"),
    Moderation.HIDDEN: pgettext_lazy("pair", "hidden"),
    Moderation.MERGED: pgettext_lazy("pair", "merged into another"),
}

DONE: dict[str, Promise] = {
    Action.APPROVE: gettext_lazy("You approved:"),
    Action.HIDE: gettext_lazy("You hid:"),
    Action.EDIT: gettext_lazy("You changed the words of:"),
    Action.ESCALATE: gettext_lazy("You handed to the organiser:"),
    Action.MARK: gettext_lazy("You changed the marks of:"),
    Action.MERGE: gettext_lazy("You merged:"),
    Action.UNMERGE: gettext_lazy("You took a merge back:"),
}
"""What the account did last; the words follow."""

LOGGED: dict[str, str] = {
    Action.APPROVE: "pair approved",
    Action.HIDE: "pair hidden",
    Action.EDIT: "pair edited",
    Action.PERSONAL: "personal data removed",
    Action.ESCALATE: "pair escalated",
    Action.MARK: "pair marked",
    Action.MERGE: "pair merged",
    Action.UNMERGE: "merge taken back",
}
"""What the log says."""

CLAIM_MINUTES = 3
"""Duration of the note that somebody is looking at a pair."""
_AHEAD = 20
"""Pairs looked out before the lock is taken; more than moderators decide about in that moment."""

_SEVERE = ("harm", "accusation", "name", "slur", SkipReason.REPORT_PERSONAL, SkipReason.REPORT_HATE)
"""Flags of what may harm somebody."""

_HANDED = Q(words__contains=f'"{ESCALATED}"')
"""Pairs that were handed to the organiser; `words` are the flags as text, since SQLite cannot look into JSON lists."""


def reasons(pair: Pair) -> list[str]:
    """Reasons for moderation as sentences; flags without a sentence are omitted."""
    if pair.unjudged and pair.moderation == Moderation.LIVE:
        return [str(UNJUDGED)]
    return [str(FLAGS[flag]) for flag in pair.flags if flag in FLAGS]


_NEW = Q(moderation=Moderation.PENDING)
_DOUBTED = Q(moderation=Moderation.LIVE, flagged=True)
_UNJUDGED = Q(moderation=Moderation.LIVE, source=Source.CONTRIBUTOR, negative=None, judged="", flagged=False)


def waiting(campaign: Campaign, *, organiser: bool) -> QuerySet[Pair]:
    """Pairs that need a decision: those that wait, and live ones with flags or reports; the order as in `queue`."""
    return _ordered(campaign, _NEW, _DOUBTED, organiser=organiser)


def unjudged(campaign: Campaign) -> QuerySet[Pair]:
    """Live pairs of contributors that are covered because nobody judged whether they may hurt, the oldest first."""
    return Pair.objects.filter(_UNJUDGED, campaign=campaign).order_by("created_at", "pk")


def queue(campaign: Campaign, *, organiser: bool) -> QuerySet[Pair]:
    """All that moderators may look at: what is `waiting`, then what is `unjudged`.

    For organisers those that were handed to them come first, for moderators last; between, what may harm somebody
    (`_SEVERE`, with reports of a person or of hate), then other reports, then other flags, then new ones, then those
    about which people do not agree, then unjudged ones; in each the oldest first.
    """
    return _ordered(campaign, _NEW, _DOUBTED, _UNJUDGED, organiser=organiser)


def _ordered(campaign: Campaign, *kinds: Q, organiser: bool) -> QuerySet[Pair]:
    # The campaign stands in each: else SQLite does not see that an index answers it.
    wanted, severe = Q(), Q()
    for kind in kinds:
        wanted |= Q(kind, campaign=campaign)
    for flag in _SEVERE:
        severe |= Q(words__contains=f'"{flag}"')
    urgency = Case(
        When(_HANDED, then=Value(0 if organiser else 9)),
        When(severe, then=Value(1)),
        When(words__contains='"report_', then=Value(2)),
        When(words=f'["{UNCLEAR}"]', moderation=Moderation.LIVE, then=Value(5)),
        When(words=f'["{UNLISTED}"]', then=Value(6)),
        When(flagged=True, then=Value(3)),
        When(moderation=Moderation.PENDING, then=Value(4)),
        default=Value(6),
        output_field=IntegerField(),
    )
    pairs = Pair.objects.filter(wanted).annotate(words=Cast("flags", TextField()))
    return pairs.annotate(urgency=urgency).order_by("urgency", "created_at", "pk")


def take_next(campaign: Campaign, user: User, *, organiser: bool) -> Pair | None:
    """The first pair that is not claimed by another account, claimed for this one; None if there is none."""
    claimed = claims_of_others(user).values("pair")
    free = queue(campaign, organiser=organiser).exclude(pk__in=claimed)
    if not organiser:
        free = free.exclude(_HANDED)
    # Sorting the queue takes its time: it is done before others have to wait, and looked at again for a few.
    while ahead := list(free.values_list("pk", flat=True)[:_AHEAD]):
        with locked(campaign.pk):
            pair = free.filter(pk__in=ahead).first()
            if pair is not None:
                until = timezone.now() + timedelta(minutes=CLAIM_MINUTES)
                Claim.objects.filter(user=user).delete()
                Claim.objects.update_or_create(pair=pair, defaults={"user": user, "until": until})
                return pair
    return None


def claims_of_others(user: User) -> QuerySet[Claim]:
    """What other accounts are looking at now."""
    return Claim.objects.filter(until__gt=timezone.now()).exclude(user=user)


def claimant(pair: Pair, user: User) -> str:
    """The name of another account that is looking at this pair; "" where there is none."""
    claim = claims_of_others(user).filter(pair=pair).select_related("user").first()
    return claim.user.get_username() if claim else ""
