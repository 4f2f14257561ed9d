"""Start a campaign from a preset, with its accounts, and prepare it for serving.

Accounts are made on the command line only, so nobody can make one from outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from endoxa.errors import UserError
from endoxa_collect.addresses import qr
from endoxa_collect.campaign import read_settings, require_name
from endoxa_collect.entry.seeding import add_seeds
from endoxa_collect.groups import content_of
from endoxa_collect.models import (
    Campaign,
    JoinCode,
    Membership,
    Role,
    SettingsVersion,
    State,
    TaskState,
    record,
)
from endoxa_collect.organiser.codes import make_code
from endoxa_collect.organiser.opening import lacking
from endoxa_collect.presets import load_preset
from endoxa_collect.security import limits
from endoxa_collect.security.codes import new_code
from endoxa_collect.security.limits import LOGIN_ACCOUNT, LOGIN_SITE


@dataclass(frozen=True)
class Account:
    """An account as it is now. `password` was generated just now and is shown once; None where it was not."""

    name: str
    roles: tuple[str, ...]
    password: str | None = None


@transaction.atomic
def set_account(
    name: str,
    campaign: Campaign,
    role: Role | None,
    *,
    password: str | None = None,
    new_password: bool = False,
) -> Account:
    """Make an account, give it a role in a campaign, or a new password; and unlock it, and the site.

    A new account gets `password`, or a generated one. One that is there keeps its password unless `password` is given
    or `new_password` is True. A change signs the account out everywhere.

    Raises:
        UserError: the name or the password cannot be used, or a new account has no role.
    """
    user = User.objects.filter(username=name).first()
    if user is None:
        user, new_password = _new(name, role), True
    generated = new_password_text() if password is None and new_password else None
    chosen = generated if password is None else password
    if chosen is not None:
        try:
            validate_password(chosen, user)
        except ValidationError as problem:
            raise UserError(f"The password cannot be used: {' '.join(problem.messages)}") from None
        user.set_password(chosen)
        user.save(update_fields=["password"])
    if role is not None and Membership.objects.get_or_create(user=user, campaign=campaign, role=role)[1]:
        record(campaign, None, "account allowed", account=name, role=role)
    LOGIN_ACCOUNT.clear(name)
    LOGIN_SITE.clear(limits.SITE)
    return Account(name, _roles(user, campaign), generated)


@transaction.atomic
def remove_account(name: str, campaign: Campaign, role: Role | None) -> Account:
    """Take a role away, or all of them; an account without any role in any campaign is deleted.

    Raises:
        UserError: there is no such account or role, or the campaign would have no organiser left.
    """
    memberships = Membership.objects.filter(user__username=name, campaign=campaign)
    leaving = memberships.filter(role=role) if role else memberships
    user = User.objects.filter(username=name).first()
    if user is None or not leaving.exists():
        raise UserError(
            f"'{name}' has no such role in '{campaign.slug}': `endoxa collect account DIR` lists all accounts."
        )
    organisers = Membership.objects.filter(campaign=campaign, role=Role.ORGANISER)
    if not organisers.exclude(pk__in=leaving).exists():
        raise UserError(f"'{name}' is the only organiser of '{campaign.slug}': make another one first.")
    leaving.delete()
    record(campaign, None, "account removed", account=name, role=role or "all")
    roles = _roles(user, campaign)
    if not user.memberships.exists():
        user.delete()
    return Account(name, roles)


def accounts(campaign: Campaign) -> list[Account]:
    """All accounts of a campaign, by name."""
    users = User.objects.filter(memberships__campaign=campaign).distinct().order_by("username")
    return [Account(user.username, _roles(user, campaign)) for user in users]


def campaign_named(slug: str | None) -> Campaign:
    """The campaign with this slug; without one, the only campaign of the database.

    Raises:
        UserError: there is none of that name, or several to choose from.
    """
    campaigns = Campaign.objects.filter(slug=slug) if slug else Campaign.objects.all()
    match list(campaigns[:2]):
        case [campaign]:
            return campaign
        case []:
            raise UserError(f"There is no campaign{f' {slug!r}' if slug else ''} in this database.")
    names = ", ".join(Campaign.objects.order_by("slug").values_list("slug", flat=True))
    raise UserError(f"There are several campaigns ({names}): choose one with --campaign.")


def role_named(word: str | None) -> Role | None:
    """The role of this name; None for none.

    Raises:
        UserError: there is no such role.
    """
    if word is None or word in Role.values:
        return Role(word) if word else None
    raise UserError(f"Unknown role '{word}': choose {', '.join(Role.values[:-1])} or {Role.values[-1]}.")


def new_password_text() -> str:
    """A password of 78 random bits that can be read aloud."""
    letters = new_code(16)
    return "-".join(letters[start : start + 4] for start in range(0, len(letters), 4))


def _new(name: str, role: Role | None) -> User:
    if "@" in name:
        raise UserError(f"'{name}' looks like an e-mail address, and none is stored: choose a plain name.")
    alike = User.objects.filter(username__iexact=name).first()
    if alike is not None:
        raise UserError(
            f"There is an account '{alike.username}' already: write it so, or choose another name."
        )
    if role is None:
        raise UserError(f"'{name}' is a new account: say what it may do (--role organiser, moderator, ...).")
    user = User(username=name)
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError:
        raise UserError(f"'{name}' cannot be a name: use up to 150 letters, digits and . + - _") from None
    user.set_unusable_password()
    user.save()
    return user


def _roles(user: User, campaign: Campaign) -> tuple[str, ...]:
    memberships = Membership.objects.filter(user=user, campaign=campaign).order_by("role")
    return tuple(memberships.values_list("role", flat=True))


CODE_DAYS = 14
TASK_DAYS = 365
"""How long people who judge items stay linked to their answers, unless the settings name another day."""


@dataclass(frozen=True)
class Started:
    """What was made. `password` was generated and is shown once; None where it was given.

    `code` is None where there are only tasks, which nobody joins.
    """

    campaign: Campaign
    code: str | None
    password: str | None
    pairs: int


@transaction.atomic
def start(
    preset: str,
    slug: str,
    account: str,
    *,
    password: str | None = None,
    organisation: str | None = None,
    contact: str | None = None,
    groups: Path | None = None,
) -> Started:
    """Make an open campaign, so that the first phone can join at once.

    `groups` is a table of groups that cards are about.

    Raises:
        UserError: unknown preset; a slug that is taken, is the address of another page, or has other characters than
            letters, digits, - and _; a name or password that cannot be used; an organisation or contact that is too
            long.
    """
    require_name(slug, "--name")
    if Campaign.objects.filter(slug=slug).exists():
        raise UserError(f"The database has a campaign '{slug}' already: choose another name (--name).")
    loaded = load_preset(preset)
    named = {key: text for key, text in (("organisation", organisation), ("contact", contact)) if text}
    if not loaded.settings.joined and not loaded.settings.retention:
        # It is open at once, and no campaign is open without a day.
        named["retention"] = (timezone.now().date() + timedelta(days=TASK_DAYS)).isoformat()
    settings = read_settings(
        loaded.settings.model_dump(mode="json") | named, " and ".join(f"--{key}" for key in named)
    )
    seeds = loaded.seeds
    if groups is not None:
        content = settings.model_dump(mode="json") | content_of(groups)
        settings, seeds = read_settings(content, str(groups)), ()
    campaign = Campaign.objects.create(slug=slug, state=State.OPEN)
    SettingsVersion.objects.create(campaign=campaign, number=1, content=settings.model_dump(mode="json"))
    report = add_seeds(campaign, seeds)
    made = set_account(account, campaign, Role.ORGANISER, password=password, new_password=True)
    code = make_code(campaign, CODE_DAYS) if campaign.settings.joined else None
    record(campaign, None, "campaign made", preset=preset)
    return Started(campaign, code.code if code else None, made.password, report.added)


def invitations(addresses: Sequence[str], encoding: str = "ascii") -> Iterator[str]:
    """What to tell those who serve the site at these addresses, a line each: how campaigns stand, and how to join."""
    for campaign in Campaign.objects.order_by("slug"):
        is_open = campaign.state == State.OPEN
        stands = "a rehearsal until you press Open on the dashboard; people can join"
        yield f"Campaign {campaign.slug} is {stands if campaign.rehearsing and is_open else campaign.state}."
        if missing := ", ".join(str(what) for what, _ in lacking(campaign)):
            yield f"Before people come, fill in on the organisers' pages: {missing}."
        panels = campaign.tasks.filter(state=TaskState.OPEN).exclude(code="").order_by("name")
        for task in panels:
            yield f"Panel: {addresses[0]}/t/{task.code}/"
        if not campaign.settings.joined:
            if not panels:
                yield "No task is open for a panel. Make one: endoxa collect import DIR FILE --task harm"
            continue
        code = JoinCode.objects.in_force().filter(campaign=campaign, interviewer="").first()
        if code is None or not is_open:
            yield "Nobody can join now: open it, or make a code, on the organisers' pages."
        else:
            links = [f"{address}/j/{code.code}/" for address in addresses]
            yield from ("Join:", *(f"  {link}" for link in links), qr(links[0], encoding))


def collect_static() -> None:
    """Put the site's own files where they are served from."""
    call_command("collectstatic", verbosity=0, interactive=False)
