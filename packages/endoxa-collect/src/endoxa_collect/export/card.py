"""The data card of an export, and the conditions of a restricted release.

A restricted release is for one named recipient who signed the conditions in `AGREEMENT.md`, with nothing merged. It is
never public: the site sends it once, to the organiser who makes it, and keeps no copy.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files

import jinja2
import polars as pl

from endoxa.errors import UserError
from endoxa.words.state import unreviewed
from endoxa_collect import groups
from endoxa_collect.campaign import CampaignSettings, in_language
from endoxa_collect.cards.conduct import FEW
from endoxa_collect.export.columns import FEW_SHARE, OTHER, OWN, POLARITIES, columns_of
from endoxa_collect.export.folder import About
from endoxa_collect.models import Campaign, SettingsVersion
from endoxa_collect.sampler.slots import wanted
from endoxa_collect.small_cells import LEAST
from endoxa_collect.visible import visible

_TIERS = {
    OWN: "the pair picked them, and they are from the country",
    OTHER: "the pair picked them, and they are from elsewhere",
    "calibration": "the set that all people go through in one order",
    "topup": "those who rated it disagree",
    "open": "no pair needed ratings",
    "backup": "somebody else had the pair and might have left",
    "paper": "they filled in a sheet of paper",
}
"""Why people got a pair, by tier."""

_MERGED = f"{FEW_SHARE} so that nobody stands out"


def data_card(about: About, frames: Mapping[str, pl.DataFrame]) -> str:
    """The README.md of an export, in Markdown. What only people can know is marked [open: ...]."""
    settings = about.settings
    languages = sorted({*frames["pairs"]["language"], *frames["statements"]["language"]} - {""})
    timed = (frame["hour"] for frame in frames.values() if "hour" in frame.columns)
    days = [hour[:10] for hours in timed for hour in hours]
    ratings, people = frames["ratings"], Counter(frames["people"]["country"].to_list())
    people[OTHER] += about.left_out.people
    polarities = Counter(frames["pairs"]["polarity"].to_list())
    counted = Counter(ratings.filter(pl.col("tier") != "")["tier"].to_list())
    return _template("card").render(
        title=in_language(settings.texts.title, "en"),
        about=about,
        settings=settings,
        sampler=settings.sampler,
        wanted=wanted(settings.sampler),
        today=datetime.now(UTC).date().isoformat(),
        days=((min(days), max(days)) if days else None),
        rows={name: frame.height for name, frame in frames.items()},
        columns={name: columns_of(name, settings) for name in frames},
        countries=[(_place(country, settings), n) for country, n in people.most_common() if n],
        people=frames["people"].height + about.left_out.people,
        languages=languages,
        unreviewed=unreviewed((name, languages) for name in ("page texts", "country phrases")),
        polarities={negative: polarities[word] for negative, word in POLARITIES.items()},
        withdrawn=frames["withdrawals"].height,
        tiers=[(tier, _TIERS.get(tier, ""), n, n / counted.total()) for tier, n in counted.most_common()],
        revealed=dict(frames["ratings"]["revealed"].value_counts().iter_rows()),
        in_group_empty=frames["ratings"]["in_group"].null_count(),
        least=LEAST,
        few_share=FEW_SHARE,
        **_stated(about),
    )


def _stated(about: About) -> dict[str, object]:
    """The rule of who is left out for how they answered, and when it was stated as it is now."""
    settings = about.settings
    rule = {
        "exclude_fast": f"speeding, more than {settings.exclude_fast} % of at least {FEW} answers below "
        f"{settings.fast_seconds} s",
        "exclude_run": f"straight-lining, more than {settings.exclude_run} equal ratings in a row",
        "exclude_skips": f"item non-response, more than {settings.exclude_skips} % of at least {FEW} cards skipped",
    }
    earlier = SettingsVersion.objects.filter(campaign__slug=about.campaign, number__lte=about.version)
    stated = None
    for version in earlier.select_related("campaign").order_by("-number"):
        if any(version.content.get(name, 0) != getattr(settings, name) for name in ("fast_seconds", *rule)):
            break
        stated = version
    began = stated.campaign.began_at if stated else None
    return {
        "rule": [sentence for name, sentence in rule.items() if getattr(settings, name)],
        "rule_version": stated.number if stated else about.version,
        "rule_day": stated.made_at.date().isoformat() if stated else "?",
        "rule_before": stated is not None and (began is None or stated.made_at <= began),
    }


def survey_map(settings: CampaignSettings) -> str:
    """The questions as `endoxa curate extract --map` reads them (TOML)."""
    lines = [
        "# endoxa curate extract statements.csv --statement-column text --question-column question --map map.toml"
    ]
    for question in settings.questions:
        facts = {"column": "text", "name": question.name, "axis": question.axis.lower()}
        if question.identity:
            facts["identity"] = question.identity.lower()
        # A basic string of TOML is a JSON string without surrogates, in which DEL is escaped too.
        texts = {
            key: json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
            for key, text in facts.items()
        }
        lines += ["", "[[question]]", *(f"{key} = {text}" for key, text in texts.items())]
    return "\n".join(lines) + "\n"


def _place(country: str, settings: CampaignSettings) -> str:
    if country in ("", OTHER):
        return "none named" if not country else _MERGED
    return " and ".join(groups.name(code, "en", settings) for code in country.split("; "))


@cache
def _template(name: str) -> jinja2.Template:
    text = (files("endoxa_collect.export") / f"{name}.md.jinja").read_text(encoding="utf-8")
    # Markdown for people and data tools, never sent to a browser as HTML; no contributor's words are in it.
    environment = jinja2.Environment(
        autoescape=False,  # noqa: S701
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.from_string(text)


NAME = "AGREEMENT.md"
"""The file with the conditions, in the folder of a restricted release."""

LONGEST = 200
"""Characters of a recipient's name."""


def recipient_named(typed: str) -> str:
    """The name of a recipient, cleaned.

    Raises:
        UserError: nothing is left of it, or it is too long.
    """
    name = " ".join(visible(typed).split())
    if not name or len(name) > LONGEST:
        raise UserError(
            f"A restricted release is for somebody: name the person and institution (up to {LONGEST} characters)."
        )
    return name


def agreement(campaign: Campaign, number: str, recipient: str) -> str:
    """The conditions, in Markdown, to be signed before the release is handed over."""
    settings = campaign.settings
    return _template("agreement").render(
        campaign=campaign.slug,
        number=number,
        recipient="".join(f"\\{letter}" if letter in r"\`*_{}[]<>#|" else letter for letter in recipient),
        organisation=settings.organisation,
        contact=settings.contact,
        least=LEAST,
        retention=settings.retention,
        today=datetime.now(UTC).date().isoformat(),
    )
