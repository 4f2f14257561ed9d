"""Start a campaign from a preset, and prepare it for serving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from endoxa.errors import UserError
from endoxa_collect.campaign import read_settings, require_name
from endoxa_collect.entry.seeding import SeedRow, add_seeds
from endoxa_collect.models import Campaign, JoinCode, Role, SettingsVersion, State, Task, TaskState, record
from endoxa_collect.organiser.codes import make_code
from endoxa_collect.organiser.dashboard import lacking
from endoxa_collect.presets import load_preset
from endoxa_collect.project.accounts import set_account
from endoxa_collect.project.database import explained

CODE_DAYS = 14


@dataclass(frozen=True)
class Started:
    """What was made. `password` was generated and is shown once; None where it was given.

    `code` is None where there are only tasks, which nobody joins.
    """

    campaign: Campaign
    code: str | None
    code_ends: datetime
    account: str
    password: str | None
    pairs: int


@explained()
@transaction.atomic
def start(
    preset: str,
    slug: str,
    account: str,
    *,
    password: str | None = None,
    organisation: str | None = None,
    contact: str | None = None,
) -> Started:
    """Make an open campaign, so that the first phone can join at once.

    Raises:
        UserError: unknown preset; a slug that is taken, is the address of another page, or has other characters than
            letters, digits, - and _; a name or password that cannot be used; an organisation or contact that is too
            long.
    """
    campaign, seeds = _campaign(preset, slug, {"organisation": organisation, "contact": contact})
    report = add_seeds(campaign, seeds)
    made = set_account(account, campaign, Role.ORGANISER, password=password, new_password=True)
    code = make_code(campaign, CODE_DAYS) if campaign.settings.joined else None
    record(campaign, None, "campaign made", preset=preset)
    ends = (code.expires_at if code else None) or timezone.now()
    return Started(campaign, code.code if code else None, ends, made.name, made.password, report.added)


def _campaign(preset: str, slug: str, named: dict[str, str | None]) -> tuple[Campaign, Sequence[SeedRow]]:
    require_name(slug, "--name")
    if Campaign.objects.filter(slug=slug).exists():
        raise UserError(f"The database has a campaign '{slug}' already: choose another name (--name).")
    loaded = load_preset(preset)
    named = {key: text for key, text in named.items() if text}
    settings = read_settings(
        loaded.settings.model_dump(mode="json") | named, " and ".join(f"--{key}" for key in named)
    )
    campaign = Campaign.objects.create(slug=slug, state=State.OPEN)
    SettingsVersion.objects.create(campaign=campaign, number=1, content=settings.model_dump(mode="json"))
    return campaign, loaded.seeds


@dataclass(frozen=True)
class Invitation:
    """A campaign that people can join, or why they cannot: `code` is None then. `lacking` is still to be filled in.

    `panels` are the paths of its tasks for panels; `joined` is False where there are only tasks. `rehearsing` as in
    `Campaign`.
    """

    slug: str
    state: str
    code: str | None
    lacking: tuple[str, ...]
    joined: bool = True
    panels: tuple[str, ...] = ()
    rehearsing: bool = False


def invitations() -> list[Invitation]:
    """What to tell people for each campaign."""
    return [
        Invitation(
            campaign.slug,
            campaign.state,
            code=_code(campaign) if campaign.state == State.OPEN else None,
            lacking=tuple(str(missing.what) for missing in lacking(campaign)),
            joined=campaign.settings.joined,
            panels=tuple(_panels(campaign)),
            rehearsing=campaign.rehearsing,
        )
        for campaign in Campaign.objects.order_by("slug")
    ]


def collect_static() -> None:
    """Put the site's own files where they are served from."""
    call_command("collectstatic", verbosity=0, interactive=False)


def _panels(campaign: Campaign) -> list[str]:
    codes = Task.objects.filter(campaign=campaign, state=TaskState.OPEN).exclude(code="").order_by("name")
    return [f"/t/{code}/" for code in codes.values_list("code", flat=True)]


def _code(campaign: Campaign) -> str | None:
    code = JoinCode.objects.in_force().filter(campaign=campaign).first()
    return code.code if code else None
