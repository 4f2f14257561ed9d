"""The queue of moderators, who looks at which pair, and decisions: each is stored, logged, and can be undone."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.db.models import Case, IntegerField, Q, QuerySet, TextField, Value, When
from django.db.models.functions import Cast
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, gettext_lazy, pgettext_lazy

from endoxa.words.persons import accuses
from endoxa_collect import geography
from endoxa_collect.campaign import UNLISTED
from endoxa_collect.cards.answering import drop_reports
from endoxa_collect.cards.counts import UNCLEAR, family, recount
from endoxa_collect.cards.locking import locked
from endoxa_collect.entry.cleaning import MAX_LENGTH, EntryError
from endoxa_collect.entry.proposing import merge, unmerge
from endoxa_collect.entry.words import SERIOUS, flags, read_words
from endoxa_collect.inputs import set_choices
from endoxa_collect.models import (
    HOLDING,
    Act,
    Action,
    Campaign,
    Card,
    CardState,
    Claim,
    Judged,
    Mention,
    Moderation,
    Pair,
    SkipReason,
    Source,
    record,
)
from endoxa_collect.privacy import redact

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

_ACTIONS: tuple[tuple[Action, str, Promise | str], ...] = (
    (Action.APPROVE, "pair approved", gettext_lazy("You approved:")),
    (Action.HIDE, "pair hidden", gettext_lazy("You hid:")),
    (Action.EDIT, "pair edited", gettext_lazy("You changed the words of:")),
    (Action.PERSONAL, "personal data removed", ""),
    (Action.ESCALATE, "pair escalated", gettext_lazy("You handed to the organiser:")),
    (Action.MARK, "pair marked", gettext_lazy("You changed the marks of:")),
    (Action.MERGE, "pair merged", gettext_lazy("You merged:")),
    (Action.UNMERGE, "merge taken back", gettext_lazy("You took a merge back:")),
)
LOGGED: dict[str, str] = {action: entry for action, entry, _ in _ACTIONS}
"""What the log says."""
DONE: dict[str, Promise | str] = {action: sentence for action, _, sentence in _ACTIONS}
"""What the account did last, if it can be taken back; the words follow."""

CLAIM_MINUTES = 3
"""Duration of the note that somebody is looking at a pair."""
_AHEAD = 20
"""Pairs tried, one after the other, where others claim some in the same moment; more than there are moderators."""

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
    now = timezone.now()
    Claim.objects.filter(Q(user=user) | Q(until__lte=now)).delete()
    facts = {"user": user, "until": now + timedelta(minutes=CLAIM_MINUTES)}
    for pair in free[:_AHEAD]:
        # Its author may have left meanwhile, and the pair with them.
        with suppress(IntegrityError):
            if Claim.objects.get_or_create(pair=pair, defaults=facts)[1]:
                return pair
    return None


def claims_of_others(user: User) -> QuerySet[Claim]:
    """What other accounts are looking at now."""
    return Claim.objects.filter(until__gt=timezone.now()).exclude(user=user)


def claimant(pair: Pair, user: User) -> str:
    """The name of another account that is looking at this pair; "" where there is none."""
    claim = claims_of_others(user).filter(pair=pair).select_related("user").first()
    return claim.user.get_username() if claim else ""


FIELDS = (
    "attribute",
    "key",
    "language",
    "topic",
    "negative",
    "judged",
    "moderation",
    "flags",
    "waiting_since",
)
"""What a decision can change in a pair itself."""
_TOPIC_LENGTH = 40
_OF_MERGED = frozenset({Action.UNMERGE, Action.PERSONAL, Action.EDIT})
"""Decisions that are possible about a merged pair."""


class StaleError(EntryError):
    """Somebody else decided about the pair since the page was shown, or it is gone."""

    def __init__(self, message: str = "") -> None:
        meanwhile = gettext("Somebody else decided about this one meanwhile. Nothing was changed.")
        super().__init__(message or meanwhile)


class GoneError(StaleError):
    """The pair was deleted: its author left or took it back."""

    def __init__(self) -> None:
        super().__init__(gettext("This one is gone meanwhile. There is nothing left to decide."))


def revision(pair: Pair) -> str:
    """Twelve hexadecimal digits that change when a pair is decided about; forms send back the ones they were shown."""
    facts = [getattr(pair, field) for field in FIELDS] + [pair.merged_into_id]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:12]


def decide(campaign: Campaign, user: User, item: UUID, action: str, seen: str, **words: Any) -> Act:
    """Carry out a decision about the pair `item`, if the pair has the revision `seen`.

    `words` are the other fields of `ActForm`: words and language of an edit, marks, or the pair to merge into.

    Raises:
        GoneError: unknown pair of this campaign.
        StaleError: somebody decided meanwhile; nothing is done.
        EntryError: the new words cannot be used or the pairs cannot be merged.
    """
    with locked(campaign.pk) as current:
        pair = Pair.objects.select_related("campaign").filter(campaign=current, public_id=item).first()
        if pair is None:
            raise GoneError
        if revision(pair) != seen:
            raise StaleError
        merged_into = pair.merged_into_id
        before = _carry_out(pair, Action(action), words) | {"merged_into": merged_into}
        if action in {Action.HIDE, Action.ESCALATE, Action.PERSONAL}:
            # Who has it before them gets another card; an answer that is on its way is still taken.
            Card.objects.filter(pair__in=family(pair), state__in=HOLDING).update(state=CardState.LAPSED)
        Claim.objects.filter(pair=pair).delete()
        record(current, user, LOGGED[action], pair=str(item))
        # Whose words the pair had: of who made it, else of who mentioned it first.
        mentions = Mention.objects.filter(pair=pair).order_by("created_at", "pk")
        author = pair.author_id or mentions.values_list("person", flat=True).first()
        words_of = author if "attribute" in before else None
        return Act.objects.create(pair=pair, user=user, action=action, before=before, words_of_id=words_of)


def _carry_out(pair: Pair, action: Action, words: Mapping[str, Any]) -> dict[str, Any]:
    """Change the pair; what was changed, as it was."""
    if not pair.attribute:
        raise EntryError(
            gettext("The words of this pair were removed. Nothing more can be decided about it.")
        )
    if pair.merged_into is not None and action not in _OF_MERGED:
        raise EntryError(gettext("This pair is merged into another one. Take that back first."))
    if action == Action.PERSONAL:
        redact(pair)
        return {}
    if action == Action.MERGE:
        other = Pair.objects.filter(
            campaign=pair.campaign_id, public_id=words.get("into") or UUID(int=0)
        ).first()
        if other is None:
            raise EntryError(gettext("Please choose the pair to merge into."))
        if revision(other) != words["into_seen"]:
            raise StaleError
        merge(pair, other)
        return {}
    if action == Action.UNMERGE:
        unmerge(pair)
        return {}
    before = {field: getattr(pair, field) for field in FIELDS}
    _change(pair, action, words)
    changed = {field: old for field, old in before.items() if getattr(pair, field) != old}
    pair.save(update_fields=list(changed))
    return changed


def _change(pair: Pair, action: Action, words: Mapping[str, Any]) -> None:
    """What a decision changes in the pair itself, which is not saved yet."""
    negative = words.get("negative")
    match action:
        case Action.APPROVE:
            if pair.moderation != Moderation.LIVE and not pair.ratings:
                # Its wait for ratings begins now; one that was rated was shown before.
                pair.waiting_since = int(time.time())
            pair.moderation, pair.flags = Moderation.LIVE, []
            pair.negative = True if negative else pair.negative
            pair.judged = Judged.APPROVED
        case Action.HIDE:
            pair.moderation = Moderation.HIDDEN
        case Action.ESCALATE:
            pair.moderation = Moderation.PENDING
            pair.flags = [*(flag for flag in pair.flags if flag != ESCALATED), ESCALATED]
        case Action.MARK:
            judged = negative is not None
            if pair.judged != Judged.APPROVED and (judged or pair.negative is not None):
                pair.judged = Judged.MODERATOR
            if judged:
                pair.flags = [flag for flag in pair.flags if flag != UNCLEAR]
            pair.topic, pair.negative = words.get("topic", ""), negative
        case Action.EDIT:
            new = read_words(words["text"], words["language"], pair.campaign.settings)
            _refuse_twice(
                pair,
                new.language,
                new.key,
                gettext("Another pair has these words already. Merge this one into it instead."),
            )
            if new.text != pair.attribute:
                _require_same_words(pair, new.key)
            reports = [flag for flag in pair.flags if flag == ESCALATED or flag.startswith("report_")]
            pair.attribute, pair.key, pair.language = new.text, new.key, new.language
            # Who called the old words mild has not judged the new ones.
            pair.negative = pair.negative or new.negative
            pair.judged = ""
            pair.flags = [*new.flags, *reports]


def _refuse_twice(pair: Pair, language: str, key: str, why: str) -> None:
    same = {"campaign": pair.campaign_id, "country": pair.country, "language": language, "key": key}
    if Pair.objects.filter(**same).exclude(pk=pair.pk).exists():
        raise EntryError(why)


def _require_same_words(pair: Pair, key: str) -> None:
    """Refuse words with another key for a pair that people rated: their ratings are about the words they saw."""
    if key != pair.key and pair.rating_rows.exists():
        why = gettext(
            "People rated these words already, so they stay as they are. Hide this pair instead; better words "
            "can be added as a seed."
        )
        raise EntryError(why)


def undo(campaign: Campaign, user: User, act_id: UUID) -> Act:
    """Give a pair back what a decision changed; twice does nothing more than once.

    Raises:
        GoneError: the campaign has no such decision, or the pair it was about or was merged into is gone.
        StaleError: another decision about the pair came after it, or it was merged or parted since, by
            whomever: contributors merge pairs of their own.
        EntryError: it was the removal of personal data, other people's words took the place, or people rated the
            words of an edit.
    """
    with locked(campaign.pk):
        act = Act.objects.select_related("pair").filter(pair__campaign=campaign, public_id=act_id).first()
        if act is None:
            raise GoneError
        if act.undone:
            return act
        _check_undo(act)
        if act.action == Action.MERGE:
            unmerge(act.pair)
        elif act.action == Action.UNMERGE:
            root = Pair.objects.filter(pk=act.before["merged_into"]).first()
            if root is None:
                raise GoneError
            merge(act.pair, root)
        else:
            _restore(act)
        act.undone = True
        act.save(update_fields=["undone"])
        record(campaign, user, "decision taken back", pair=str(act.pair.public_id), decision=act.action)
        return act


def _check_undo(act: Act) -> None:
    if act.action == Action.PERSONAL:
        raise EntryError(gettext("Words that were removed as personal data are gone for good."))
    if Act.objects.filter(pair=act.pair, undone=False, pk__gt=act.pk).exists():
        raise StaleError(gettext("A later decision about this one must be taken back first."))
    merged = act.pair.merged_into_id
    kept = merged == act.before.get("merged_into")
    if not {Action.MERGE: merged is not None, Action.UNMERGE: merged is None}.get(Action(act.action), kept):
        raise StaleError


def _restore(act: Act) -> None:
    pair = act.pair
    reported = [flag for flag in pair.flags if flag.startswith("report_")]
    changed = {field: value for field, value in act.before.items() if field in FIELDS}
    if "attribute" in changed:
        _require_same_words(pair, changed.get("key", pair.key))
    for field, value in changed.items():
        setattr(pair, field, value)
    # What was reported since the decision stays reported.
    pair.flags = list(dict.fromkeys([*pair.flags, *reported]))
    again = gettext("The earlier words were proposed again meanwhile. Merge the two instead.")
    _refuse_twice(pair, pair.language, pair.key, again)
    pair.save(update_fields=[*changed, "flags"])
    # Whoever reported it may have left since, and what people said of it may count again.
    drop_reports([pair])
    recount(pair.campaign, [pair])


def plain(pairs: Iterable[Pair], user: User) -> list[Pair]:
    """Those that may be approved with others: they wait or were not judged yet, and nobody else looks at them.

    What carries a flag, accuses, insults or may name a person is decided alone. Words are looked at anew: lists grow.
    """
    claims = claims_of_others(user).filter(pair__in=[pair.pk for pair in pairs])
    claimed = set(claims.values_list("pair", flat=True))
    return [
        pair
        for pair in pairs
        if (pair.moderation == Moderation.PENDING or pair.unjudged or pair.flags == [UNLISTED])
        and pair.moderation in (Moderation.PENDING, Moderation.LIVE)
        and pair.flags in ([], [UNLISTED])
        and pair.pk not in claimed
        and not accuses(pair.attribute)
        and SERIOUS.isdisjoint(flags(pair.attribute, pair.language, pair.campaign.settings))
    ]


class ActForm(forms.Form):
    """What to do, the revision of the pair that the account saw, and what an edit, marks and a merge need besides."""

    action = forms.ChoiceField(choices=Action.choices)
    seen = forms.CharField(max_length=12)
    text = forms.CharField(
        label=gettext_lazy("Words"),
        max_length=MAX_LENGTH,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
    )
    language = forms.ChoiceField(label=gettext_lazy("Language"))
    topic = forms.CharField(label=gettext_lazy("Topic"), max_length=_TOPIC_LENGTH, required=False)
    negative = forms.NullBooleanField(
        label=gettext_lazy("It may hurt to hear this about oneself"),
        help_text=gettext_lazy(
            "What people added stays covered while this is unknown and nobody has approved it."
        ),
        required=False,
    )
    into = forms.UUIDField(required=False)
    into_seen = forms.CharField(max_length=12, required=False)

    def __init__(self, pair: Pair, data: Any = None) -> None:
        facts = {
            "text": pair.attribute,
            "language": pair.language,
            "topic": pair.topic,
            "negative": pair.negative,
        }
        super().__init__(data, initial=facts)
        shown = get_language() or "en"
        codes = dict.fromkeys([*pair.campaign.settings.data_languages, pair.language])
        set_choices(self, language=[(code, geography.language_name(code, shown)) for code in codes])
        for name in ("text", "language"):
            self.fields[name].required = self.data.get("action") == Action.EDIT
