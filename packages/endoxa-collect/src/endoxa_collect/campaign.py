"""Settings of a campaign. Each change makes a new version, whose number every draw carries."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from endoxa.errors import UserError
from endoxa_collect.sampler.slots import SamplerSettings

UI_LANGUAGES: tuple[str, ...] = ("en", "fr", "es", "pt", "ar", "hi", "sw")
"""Languages that the pages themselves speak."""

Line = Annotated[str, Field(max_length=120)]
Paragraph = Annotated[str, Field(max_length=2_000)]
Page = Annotated[str, Field(max_length=4_000)]

Texts = dict[str, Paragraph]
"""A text by language (ISO 639-1); the first language of the campaign must be there."""
Titles = dict[str, Line]
Pages = dict[str, Page]

Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
Country = Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
ShortName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")]
"""Name of a column in exports."""


ADULT = 18
"""Age from which people decide alone."""


class _Checked(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class HelpLine(_Checked):
    """Somebody to talk to; shown where cards can hurt."""

    country: Country | Literal[""] = ""
    name: Annotated[str, Field(min_length=1)]
    contact: Annotated[str, Field(min_length=1)]


class ProfileField(_Checked):
    """An optional question about the person, with its purpose. Choices only: no free text."""

    name: ShortName
    label: Texts
    purpose: Texts
    choices: dict[Annotated[str, Field(min_length=1, max_length=30)], Texts] = Field(
        min_length=2, max_length=20
    )


class SurveyQuestion(_Checked):
    """One open question of the survey, about one axis.

    `identity` is the group it is about, if all answers are about one group ("women"); `examples` maps a country, or ""
    for everybody, to an example by language.
    """

    name: ShortName
    axis: Annotated[str, Field(min_length=1, max_length=40)]
    identity: Annotated[str, Field(max_length=60)] = ""
    text: Texts
    examples: dict[Country | Literal[""], Texts] = Field(default_factory=dict)


class CampaignTexts(_Checked):
    """What contributors read that is the campaign's own."""

    title: Titles
    about: Pages
    content_warning: Pages
    consent: Pages
    publication: Pages
    keep_words: Pages
    thanks: Pages
    guardian: Pages = Field(default_factory=dict)


SENSITIVE = {
    "religion": "religi* faith faiths belief* worship* church* mosque* muslim* islam* christian* catholic* jew jews "
    "jewish judais* hindu* buddhis*",
    "ethnic origin": "ethnic* race races racial* caste* tribe* tribal* indigen* skin",
    "gender": "gender* sex sexes woman women man men girl girls boy boys female* male males transgender*",
    "sexuality": "sexual* homosexual* bisexual* gay gays lesbian* lgbt* queer*",
    "health": "health* ill illness* disease* disab* handicap* medic* pregnan*",
    "politics": "politic* party parties vote* voting election* ideolog*",
    "migration": "migra* immigra* refugee* asylum*",
    "income": "income* salary salaries poverty",
}
"""Words by which a question is recognised that campaigns with minors may not ask; `*` stands for any ending."""

_SENSITIVE = re.compile(
    "|".join(word.replace("*", r"\w*") for words in SENSITIVE.values() for word in words.split())
)
_WORD = re.compile(r"[^\W_]+")


class CampaignSettings(_Checked):
    """All that an organiser can change while a campaign runs.

    `feedback`: after an answer people may read how many others knew the pair, as of the start of a wave;
    `heard_lists` and `comparisons` are cards of these kinds in each set (`sampler.break_after`), 0 for none;
    `wave_minutes` is how long a wave lasts, 0 for a quarter of an hour in a workshop and a day online.

    `moderation` "before": a new pair is shown to others after a moderator passed it; "after": at once. `setting`
    "workshop" or "online" decides how long a card is reserved. `data_languages` are those that pairs may be in.
    `licence` is that of the exports. `population` is how many people of each country of origin the means of a release
    are to stand for, in any unit; empty: those who took part (`population`).
    `tasks` is for campaigns that may have neither cards nor a survey, such as a panel: nobody joins them by a code.
    With 24 questions in seven languages a page stays below the number of form fields that the site accepts.
    `hurt_answers` is how many people must say whether a pair that nobody judged could hurt (`cards.hurting`).
    `minutes` is how long the campaign lasts and `expected_people` how many may come; the forecast begins with them.
    `guardian` is for minors: they say that a parent or guardian has read the sheet (`texts.guardian`) and agreed.
    `maximum_age` 0 means no upper limit. `results_page`: once closed, a public page shows coarse figures, from the day
    `results_from` (ISO 8601; "": at once).
    """

    organisation: Line
    contact: Annotated[str, Field(max_length=200)]
    texts: CampaignTexts
    ui_languages: tuple[Language, ...] = UI_LANGUAGES
    data_languages: Annotated[tuple[Language, ...], Field(min_length=1)]
    countries: tuple[Country, ...] = ()
    population: dict[Country, Annotated[float, Field(gt=0, le=1e12)]] = Field(default_factory=dict)
    cards: bool = True
    survey: bool = False
    tasks: bool = False
    questions: Annotated[tuple[SurveyQuestion, ...], Field(max_length=24)] = ()
    profile: Annotated[tuple[ProfileField, ...], Field(max_length=16)] = ()
    moderation: Literal["before", "after"] = "before"
    setting: Literal["workshop", "online"] = "workshop"
    minutes: Annotated[int, Field(ge=1, le=100_000)] = 90
    expected_people: Annotated[int, Field(ge=1, le=100_000)] = 40
    feedback: bool = True
    heard_lists: Annotated[int, Field(ge=0, le=10)] = 1
    comparisons: Annotated[int, Field(ge=0, le=10)] = 1
    wave_minutes: Annotated[int, Field(ge=0, le=100_000)] = 0
    consent_version: Annotated[int, Field(ge=1)] = 1
    minimum_age: Annotated[int, Field(ge=0, le=99)] = 18
    maximum_age: Annotated[int, Field(ge=0, le=99)] = 0
    guardian: bool = False
    results_page: bool = True
    results_from: Annotated[str, Field(pattern=r"^(\d{4}-\d{2}-\d{2})?$")] = ""
    retention: str = ""
    licence: Annotated[str, Field(max_length=60)] = ""
    help_lines: tuple[HelpLine, ...] = ()
    watch_words: tuple[str, ...] = ()
    hurt_answers: Annotated[int, Field(ge=2, le=20)] = 3
    sampler: SamplerSettings = SamplerSettings()

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.survey and not self.questions:
            raise ValueError("a campaign with a survey needs at least one question")
        if not (self.cards or self.survey or self.tasks):
            raise ValueError("a campaign needs cards, a survey or both")
        unknown = set(self.ui_languages) - set(UI_LANGUAGES)
        if unknown or not self.ui_languages:
            raise ValueError(f"ui_languages must be among {', '.join(UI_LANGUAGES)}")
        for field, entries in (("questions", self.questions), ("profile", self.profile)):
            if len({entry.name for entry in entries}) < len(entries):
                raise ValueError(f"{field}: each entry needs a name of its own")
        if self.results_from:
            date.fromisoformat(self.results_from)
        return self

    @model_validator(mode="after")
    def _ages(self) -> Self:
        if self.maximum_age and self.maximum_age < self.minimum_age:
            raise ValueError(
                f"maximum_age {self.maximum_age} is below minimum_age {self.minimum_age}: nobody could take part"
            )
        if self.guardian:
            if not 0 < self.minimum_age < ADULT:
                raise ValueError(
                    "guardian = true is for people under 18: set minimum_age between 1 and 17 (13 in the school preset)"
                )
            if not 0 < self.maximum_age < ADULT:
                raise ValueError(
                    "guardian = true makes everybody confirm a guardian's consent, which adults cannot: "
                    "set maximum_age to 17 or less"
                )
            if not self.texts.guardian:
                raise ValueError(
                    "guardian = true needs texts.guardian, the sheet that parents and guardians read"
                )
            if sensitive := sensitive_field(self.profile, self.questions):
                raise ValueError(
                    f"guardian = true: minors are not asked about '{sensitive}'; remove the question, "
                    "or set guardian = false"
                )
        return self

    @property
    def joined(self) -> bool:
        """Whether people can join by a code: there are cards or a survey for them."""
        return self.cards or self.survey

    @property
    def lease_minutes(self) -> int:
        """How long a drawn card is reserved for one person."""
        return self.sampler.lease_workshop if self.setting == "workshop" else self.sampler.lease_online

    @property
    def wave_length(self) -> int:
        """Length of a wave in minutes: until the counts in feedback are renewed."""
        return self.wave_minutes or (15 if self.setting == "workshop" else 1_440)

    def digest(self) -> str:
        """Twelve hexadecimal digits that name these settings; stored with every draw."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:12]


_NAME = re.compile(r"[-a-zA-Z0-9_]{1,40}")
_RESERVED = frozenset({"login", "logout", "password"})
"""First parts of the addresses of accounts, which come before those of campaigns."""


def require_name(name: str, source: str) -> None:
    """Refuse a name of a campaign that cannot be part of an address.

    Args:
        name: the name.
        source: where it comes from, for the error ("--name", a file).

    Raises:
        UserError: it is empty or too long, has other characters, or is the address of another page.
    """
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{source}: {name!r} cannot be the name of a campaign. Expected 1 to 40 letters (a-z), digits, '-' and '_'."
        )
    if name in _RESERVED:
        raise UserError(f"{source}: '{name}' is the address of another page. Choose another name.")


def read_settings(content: object, source: str) -> CampaignSettings:
    """Settings that come from a file, a backup or the command line.

    Args:
        content: fields of `CampaignSettings`.
        source: where they come from, for the error.

    Raises:
        UserError: one is invalid; it says which.
    """
    try:
        return CampaignSettings.model_validate(content)
    except ValidationError as problem:
        first = problem.errors()[0]
        name = ".".join(map(str, first["loc"]))
        field = f", setting '{name}'" if name and not source.endswith(name) else ""
        raise UserError(f"{source}{field}: {first['msg']}.") from None


def sensitive_field(profile: Iterable[ProfileField], questions: Iterable[SurveyQuestion]) -> str:
    """Name of the first question of a sensitive kind, which minors are not asked; "" where there is none.

    It is found by the words of `SENSITIVE` in its name, its axis, its group, and its English text and choices.
    """
    texts_of = {
        field.name: [
            field.name,
            _english(field.label),
            *field.choices,
            *map(_english, field.choices.values()),
        ]
        for field in profile
    }
    texts_of |= {
        question.name: [question.name, question.axis, question.identity, _english(question.text)]
        for question in questions
    }
    return next((name for name, texts in texts_of.items() if any(map(_is_sensitive, texts))), "")


def _english(texts: Texts) -> str:
    return texts.get("en", "")


def _is_sensitive(text: str) -> bool:
    return any(_SENSITIVE.fullmatch(word) for word in _WORD.findall(text.casefold()))


def in_language(texts: Texts, language: str) -> str:
    """The text in a language, else in English, else the first there is, else ""."""
    return texts.get(language) or texts.get("en") or next(iter(texts.values()), "")
