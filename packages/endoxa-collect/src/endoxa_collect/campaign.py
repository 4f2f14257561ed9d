"""Settings of a campaign. Each change makes a new version, whose number every draw carries."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, model_validator

from endoxa.errors import UserError
from endoxa_collect import rules
from endoxa_collect.labels import _, fault_of, labelled, refuse
from endoxa_collect.sampler.slots import RULE, SamplerSettings

UNLISTED = "unlisted"
"""Flag in a language without a list of slurs: of words that are a slur in English, and of seeds that their file does
not mark. Nobody has checked these words, so they stay covered."""

UiLanguage = Literal["en", "fr", "es", "pt", "ar", "hi", "sw"]
UI_LANGUAGES: tuple[str, ...] = get_args(UiLanguage)
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
ShortName = Annotated[
    str,
    Field(
        pattern=r"^[a-z][a-z0-9_]{0,30}$",
        title=_("Short name"),
        description=_("It names the column of the export. Leave it as it is once people have answered."),
    ),
]
"""Name of a column in exports."""


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


_NO_DAY, _REQUIRED = "Enter a valid date.", "This field is required."
"""Sentences that Django translates."""

ADULT = 18
"""Age from which people decide alone."""


_DROPPED = frozenset({"population"})
"""Settings of earlier versions, which stored campaigns and published releases still name."""


class _Checked(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class HelpLine(_Checked):
    """Somebody to talk to; shown where cards can hurt."""

    country: Country | Literal[""] = labelled("", _("Country"))
    name: Annotated[str, Field(min_length=1)] = labelled(..., _("Name"))
    contact: Annotated[str, Field(min_length=1)] = labelled(..., _("How to reach it"))


class ProfileField(_Checked):
    """An optional question about the person, with its purpose. Choices only: no free text."""

    name: ShortName
    label: Texts = labelled(..., _("Question"))
    purpose: Texts = labelled(..., _("Why it is asked"))
    choices: dict[Annotated[str, Field(min_length=1, max_length=30)], Texts] = labelled(
        ...,
        _("Answers to choose from"),
        _(
            "One a line: name in the export | words. Use the same names in every language. "
            "“Prefer not to say” is always there."
        ),
    )

    @model_validator(mode="after")
    def _some_choices(self) -> Self:
        if not 2 <= len(self.choices) <= 20:
            refuse(_("Write %(least)d to %(most)d answers."), "choices", least=2, most=20)
        return self


class SurveyQuestion(_Checked):
    """One open question of the survey, about one axis.

    `identity` is the group it is about, if all answers are about one group ("women"); `examples` maps a country, or ""
    for everybody, to an example by language.
    """

    name: ShortName
    axis: Annotated[str, Field(min_length=1, max_length=40)] = labelled(
        ..., _("What it is about"), _("For example: gender, age, profession. It goes into the export.")
    )
    identity: Annotated[str, Field(max_length=60)] = labelled(
        "", _("The group, if all answers are about one"), _("For example: women.")
    )
    text: Texts = labelled(..., _("Question"))
    examples: dict[Country | Literal[""], Texts] = labelled(
        {}, _("Examples"), _("One a line: country | example. Write * for everybody else.")
    )


class Group(_Checked):
    """A group that cards are about, which the organiser declared; names are as sentences have them ("women").

    `own` says who belongs to it and `near` who is near it (`rules`). Where `near` is empty, those are near who belong
    to one of its `parents`, or to a group of the same parent.
    """

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,30}$")]
    names: Titles
    kind: Annotated[str, Field(min_length=1, max_length=40)]
    parents: tuple[str, ...] = ()
    own: Annotated[str, Field(min_length=1, max_length=400)]
    near: Annotated[str, Field(max_length=400)] = ""


class CampaignTexts(_Checked):
    """What contributors read that is the campaign's own."""

    title: Titles = labelled(..., _("Title"))
    about: Pages = labelled(..., _("About: what, why, what is kept, what is published, how to leave"))
    content_warning: Pages = labelled(..., _("Content warning"))
    consent: Pages = labelled(..., _("Consent: taking part"))
    publication: Pages = labelled(..., _("Consent: publication of the answers"))
    keep_words: Pages = labelled(..., _("Consent: my words may stay if I leave"))
    thanks: Pages = labelled(..., _("Thanks, and what happens next"))
    guardian: Pages = labelled({}, _("Sheet for parents and guardians"))


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


INTERVIEWER = r"^[A-Z][0-9]{1,3}$"
"""The short name of an interviewer, such as I1: too short for a name of somebody."""


class CampaignSettings(_Checked):
    """All that an organiser can change while a campaign runs.

    `feedback`: after an answer people may read how many others knew the pair, as of the start of a wave;
    `heard_lists` and `comparisons` are cards of these kinds in each set (`sampler.break_after`), 0 for none;
    `wave_minutes` is how long a wave lasts, 0 for a quarter of an hour in a workshop and a day online.

    `sampler` is a table, or the name of its rule with everything else as usual (`sampler = "laces"`).
    `moderation` "before": a new pair is shown to others after a moderator passed it; "after": at once. `setting`
    "workshop" or "online" decides how long a card is reserved. `data_languages` are those that pairs may be in.
    `licence` is that of the exports.
    `tasks` is for campaigns that may have neither cards nor a survey, such as a panel: nobody joins them by a code.
    With 24 questions in seven languages a page stays below the number of form fields that the site accepts.
    `hurt_answers` is how many people must say whether a pair that nobody judged could hurt (`cards.counts`).
    `minutes` is how long the campaign lasts and `expected_people` how many may come; the forecast begins with them.
    `fast_seconds`, `exclude_fast`, `exclude_run` and `exclude_skips` are the rule of who is left out of exports for how
    they answered (`cards.conduct`); 0 is off.
    `guardian` is for minors: they say that a parent or guardian has read the sheet (`texts.guardian`) and agreed.
    `interviewers` are short names of those who enter for others; making a code for one adds theirs (`organiser.codes`).
    `maximum_age` 0 means no upper limit. `results_page`: once closed, a public page shows coarse figures, from the day
    `results_from` (ISO 8601; "": at once).
    """

    organisation: Line = labelled(..., _("Who runs it"))
    contact: Annotated[str, Field(max_length=200)] = labelled(
        ...,
        _("How people reach you"),
        _("An e-mail address or a phone number; it stands at the foot of every page."),
    )
    texts: CampaignTexts = labelled(..., _("Texts"))
    ui_languages: Annotated[tuple[UiLanguage, ...], Field(min_length=1)] = labelled(
        UI_LANGUAGES, _("Languages of the pages"), _("People choose among these. Write the texts for each.")
    )
    data_languages: Annotated[tuple[Language, ...], Field(min_length=1)] = labelled(
        ..., _("Languages people may write in"), _("One a line, by name or code.")
    )
    countries: tuple[Country, ...] = labelled(
        (),
        _("Countries of the campaign"),
        _("One a line, by name or code. They are listed first; empty means all countries."),
    )
    groups: Annotated[tuple[Group, ...], Field(max_length=200)] = labelled((), _("Groups"))
    cards: bool = labelled(True, _("People get cards to rate"))
    survey: bool = labelled(False, _("People answer the survey first"))
    tasks: bool = labelled(False, _("Tasks"))
    questions: Annotated[tuple[SurveyQuestion, ...], Field(max_length=24)] = labelled((), _("Survey"))
    interviewers: Annotated[tuple[Annotated[str, Field(pattern=INTERVIEWER)], ...], Field(max_length=100)] = (
        labelled((), _("Interviewers"))
    )
    profile: Annotated[tuple[ProfileField, ...], Field(max_length=16)] = labelled((), _("About the person"))
    moderation: Literal["before", "after"] = labelled(
        "before",
        _("New pairs"),
        words={
            "before": _("A moderator looks at each new pair before others see it"),
            "after": _("Others see new pairs at once; moderators look at what was flagged"),
        },
    )
    setting: Literal["workshop", "online"] = labelled(
        "workshop",
        _("Where people take part"),
        words={
            "workshop": _("People sit together; a card is kept for them for a few minutes"),
            "online": _("People take part from anywhere; a card is kept for them for longer"),
        },
    )
    minutes: Annotated[int, Field(ge=1, le=100_000)] = labelled(
        90,
        _("Minutes planned"),
        _("From the opening to the end; the forecast looks that far. A week is 10080."),
    )
    expected_people: Annotated[int, Field(ge=1, le=100_000)] = labelled(
        40, _("People expected"), _("The forecast begins with them, until it has seen how many there are.")
    )
    feedback: bool = labelled(True, _("After an answer, tell how many others knew the same"))
    heard_lists: Annotated[int, Field(ge=0, le=10)] = labelled(
        1,
        _("Lists “which of these have you heard?” between two pauses"),
        _("Shown once a country has enough pairs that are fully rated. 0 shows none."),
    )
    comparisons: Annotated[int, Field(ge=0, le=10)] = labelled(
        1,
        _("Cards “which of these two is said more?” between two pauses"),
        _("Shown once a country has enough pairs that are fully rated. 0 shows none."),
    )
    wave_minutes: Annotated[int, Field(ge=0, le=100_000)] = labelled(
        0,
        _("Minutes until what others knew is counted anew"),
        _("0 means every 15 minutes where people sit together, and once a day online."),
    )
    consent_version: Annotated[int, Field(ge=1)] = labelled(1, _("Version of the consent"))
    minimum_age: Annotated[int, Field(ge=0, le=99)] = labelled(
        18, _("Minimum age to take part"), _("0 asks nobody about their age.")
    )
    maximum_age: Annotated[int, Field(ge=0, le=99)] = labelled(
        0, _("Maximum age to take part"), _("0 is no maximum. A campaign of minors needs one of 17 or less.")
    )
    guardian: bool = labelled(
        False,
        _("Minors take part with a guardian's consent"),
        _("They confirm that a parent or guardian has read the sheet, whose words are among the texts."),
    )
    results_page: bool = labelled(
        True,
        _("Show results to everybody after the end"),
        _("A page of figures; nothing of single people and nothing that may hurt."),
    )
    results_from: str = labelled(
        "",
        _("First day of the results page"),
        _("Empty: as soon as the campaign is closed. People read it at the end."),
        format="date",
    )
    retention: str = labelled(
        "",
        _("Last day on which answers are linked to people"),
        _("People read it before they agree."),
        format="date",
    )
    licence: Annotated[str, Field(max_length=60)] = labelled(
        "", _("Licence of the data"), _("It stands in the data card of each export. For example: CC BY 4.0.")
    )
    help_lines: tuple[HelpLine, ...] = labelled(
        (),
        _("Help lines"),
        _("One a line: country | name | how to reach it. Write * for a line that serves every country."),
    )
    watch_words: tuple[str, ...] = labelled(
        (),
        _("Words to watch"),
        _("One a line. New pairs with one of these words wait for a moderator; nobody is told which words."),
    )
    hurt_answers: Annotated[int, Field(ge=2, le=20)] = labelled(
        3,
        _("People who must say whether words could hurt"),
        _(
            "Words that nobody judged are covered. When this many people who opened them said no, and nobody anything "
            "else, they are shown. A moderator can always decide otherwise."
        ),
    )
    fast_seconds: Literal["1", "2", "5"] = labelled(
        "2",
        _("Speeding: an answer is too fast below"),
        words={"1": _("1 second"), "2": _("2 seconds"), "5": _("5 seconds")},
    )
    exclude_fast: Annotated[int, Field(ge=0, le=99)] = labelled(
        0,
        _("Leave people out of exports who answered too fast in more than this percentage"),
        _("State it before people answer. 0 leaves nobody out. People with fewer than 10 answers stay."),
    )
    exclude_run: Annotated[int, Field(ge=0, le=1_000)] = labelled(
        0,
        _("Straight-lining: leave people out who gave the same rating more often in a row than"),
        _("0 leaves nobody out."),
    )
    exclude_skips: Annotated[int, Field(ge=0, le=99)] = labelled(
        0,
        _("Item non-response: leave people out who skipped more than this percentage of their cards"),
        _("0 leaves nobody out. People with fewer than 10 cards stay."),
    )
    sampler: Annotated[SamplerSettings, RULE] = labelled(SamplerSettings(), _("Cards"))

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if not (self.cards or self.survey or self.tasks):
            refuse(_("Choose cards, the survey or both."), "cards")
        if self.survey and not self.questions:
            refuse(_("A survey needs at least one question."), "survey")
        for field, entries in (("questions", self.questions), ("profile", self.profile)):
            names = [entry.name for entry in entries]
            if twice := next((place for place, name in enumerate(names) if name in names[:place]), 0):
                refuse(_("Another entry has this short name."), field, twice, "name")
        if self.results_from and not _is_day(self.results_from):
            refuse(_NO_DAY, "results_from")
        return self

    @model_validator(mode="before")
    @classmethod
    def _without_dropped(cls, content: Any) -> Any:
        if isinstance(content, dict):
            return {name: value for name, value in content.items() if name not in _DROPPED}
        return content

    @model_validator(mode="after")
    def _declared_groups(self) -> Self:
        ids = {group.id for group in self.groups}
        if len(ids) < len(self.groups):
            raise ValueError("groups: each needs an id of its own")
        asked = {field.name: frozenset(field.choices) for field in self.profile}
        for group in self.groups:
            if unknown := next((parent for parent in group.parents if parent not in ids), None):
                raise ValueError(f"group '{group.id}', parent: there is no group '{unknown}'")
            for name in ("own", "near"):
                try:
                    require_asked(rules.parse(getattr(group, name)), asked)
                except ValueError as problem:
                    raise ValueError(
                        f"group '{group.id}', column '{name}': {problem}. Change the rule, or ask the question "
                        "(Settings, About the person)."
                    ) from None
        return self

    @model_validator(mode="after")
    def _ages(self) -> Self:
        if 0 < self.maximum_age < self.minimum_age:
            refuse(_("The maximum age is below the minimum age."), "maximum_age")
        if not self.guardian:
            return self
        if not (self.minimum_age > 0 and 0 < self.maximum_age < ADULT):
            ages = _("A guardian's consent is for minors: set a minimum and a maximum age between 1 and 17.")
            refuse(ages, "guardian")
        if not self.texts.guardian:
            refuse(_("Write the sheet for parents and guardians first (Texts)."), "guardian")
        if name := sensitive_field(self.profile, self.questions):
            minors = _("Minors are not asked about “%(name)s”: take that question out first.")
            refuse(minors, "guardian", name=name)
        return self

    @model_validator(mode="after")
    def _changed(self, info: ValidationInfo) -> Self:
        """What may not be changed from what was in force; settings that are stored or read anew may have it."""
        before = (info.context or {}).get("before")
        if before is None:
            return self
        if self.retention != before.retention:
            if not self.retention:
                refuse(_("People agreed to a day: choose another one, but name one."), "retention")
            if not _is_day(self.retention):
                refuse(_NO_DAY, "retention")
            if self.retention <= datetime.now(UTC).date().isoformat():
                refuse(_("Choose a day after today."), "retention")
        first, earlier = self.ui_languages[0], before.ui_languages[0]
        for name, texts in self.texts:
            if texts.get(first) or (name == "guardian" and not self.guardian):
                continue
            if first != earlier:
                incomplete = _(
                    "Tick this language below and save; write its texts; then make it the first one."
                )
                refuse(incomplete, "ui_languages", 0)
            if name == "guardian" and not before.guardian:
                refuse(_("Write the sheet for parents and guardians first (Texts)."), "guardian")
            if getattr(before.texts, name).get(first):
                refuse(_REQUIRED, "texts", name, first)
        for place, field in enumerate(self.profile if self.profile != before.profile else ()):
            if lacking := [key for key, texts in field.choices.items() if first not in texts]:
                others = _("Another language has these names as well: %(names)s.")
                refuse(others, "profile", place, "choices", names=", ".join(lacking))
        return self

    def changed(self, content: Mapping[str, Any]) -> Self:
        """The settings with other values of some fields.

        Raises:
            pydantic.ValidationError: they contradict a rule, or may not be changed so.
        """
        return self.model_validate({**self.model_dump(mode="json"), **content}, context={"before": self})

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
        # Settings without a table of groups keep the digits that they had before there were such tables.
        content = self.model_dump_json(exclude=None if self.groups else {"groups"})
        return hashlib.sha256(content.encode()).hexdigest()[:12]


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
        place, refused = fault_of(problem.errors()[0])
        name = ".".join(map(str, place))
        field = f", setting '{name}'" if name and not source.endswith(name) else ""
        raise UserError(f"{source}{field}: {refused.rstrip('.')}.") from None


def sensitive_field(profile: Iterable[ProfileField], questions: Iterable[SurveyQuestion]) -> str:
    """Name of the first question of a sensitive kind, which minors are not asked; "" where there is none.

    It is found by the words of `SENSITIVE` in its name, its axis, its group, and its English text and choices.
    """
    asked = [
        (
            field.name,
            [field.name, _english(field.label), *field.choices, *map(_english, field.choices.values())],
        )
        for field in profile
    ]
    asked += [
        (question.name, [question.name, question.axis, question.identity, _english(question.text)])
        for question in questions
    ]
    words = ((name, _WORD.findall(" ".join(texts).casefold())) for name, texts in asked)
    return next((name for name, found in words if any(map(_SENSITIVE.fullmatch, found))), "")


def require_asked(rule: rules.Rule, asked: Mapping[str, Collection[str]]) -> None:
    """Refuse a rule about an answer that nobody can give.

    Args:
        rule: of a group.
        asked: answers to choose from, by question about the person.

    Raises:
        ValueError: it names a question or an answer that is not asked for.
    """
    usual = (rules.COUNTRY, rules.CLOSE_TO, rules.LANGUAGE)
    for question, answers in (condition for alternative in rule for condition in alternative):
        if question in usual:
            continue
        if question not in asked:
            raise ValueError(
                f"no question about the person is called '{question}' (available: {', '.join((*usual, *asked))})"
            )
        if unknown := min(answers - frozenset(asked[question]), default=""):
            raise ValueError(
                f"the question '{question}' has no answer '{unknown}' (available: {', '.join(asked[question])})"
            )


def _english(texts: Texts) -> str:
    return texts.get("en", "")


def in_language(texts: Texts, language: str) -> str:
    """The text in a language, else in English, else the first there is, else ""."""
    return texts.get(language) or texts.get("en") or next(iter(texts.values()), "")
