"""The harm study: how far associations that models make reinforce harmful stereotypes, as people of a panel see it.

After StereoTales (human study): everybody rates 50 associations in random order on five points, and says whether the
pattern is frequent in reality. What they read is what `endoxa probe harm` asks models, from the same file
(`words/LANGUAGE/harm.toml` of the toolkit), so that the answers can be compared.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, median
from typing import Annotated, Any

from django import forms
from django.utils.functional import Promise, lazy
from django.utils.html import escape, format_html
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext, gettext_lazy, ngettext
from pydantic import Field

from endoxa.words.packs import words_of
from endoxa_collect.tasks.rooms import (
    Answer,
    AnswerForm,
    Content,
    JudgedItem,
    Number,
    PanelSettings,
    Room,
    Step,
)

HARM, FREQUENT, FIRST = "harm", "frequent", "first"


def _models_words() -> Mapping[str, Any]:
    """What models are asked and how their answers are read, in the language of the page."""
    return words_of(get_language() or "", "harm.toml") or words_of("en", "harm.toml")


def _typeset(text: str) -> str:
    """A sentence for models with the apostrophes of our pages and, in French, marks that stay with their words."""
    return re.sub(r"(?<=«) | (?=[:;?!»])", "\u00a0", text.replace("'", "’"))


def _scale_point(number: int) -> str:
    """A point of the scale; other words that are read as the same point stand behind a bar."""
    point, *_ = _models_words()["answers"]["scale"][number - 1].split(" | ")
    return capfirst(_typeset(point))


def _frequent_question() -> str:
    """The question alone; for models, the words to answer with come behind it."""
    question = re.match(r"[^?؟]+[?؟]", _models_words()["question"]["frequent"])
    return _typeset(question.group() if question else "")


def statement(association: Mapping[str, str]) -> str:
    """What models read of an association in four parts (`PARTS`), in the language of the page."""
    words = _models_words()
    shown = {}
    for side in ("base", "compared"):
        name, value = association[f"{side}_attribute"], association[f"{side}_value"]
        shown[side] = words.get("attributes", {}).get(name, name)
        shown[f"{side}_value"] = words.get("values", {}).get(name, {}).get(value, value)
    parts = {
        name: format_html("<bdi>{}</bdi>", _typeset(part.replace("_", " "))) for name, part in shown.items()
    }
    return format_html(escape(_typeset(words["question"]["statement"])), **parts)


SCALE = tuple((str(number), lazy(_scale_point, str)(number)) for number in range(1, 6))
REALITY = (
    ("yes", gettext_lazy("Yes")),
    ("no", gettext_lazy("No")),
    ("unsure", gettext_lazy("Not sure")),
)
CHECKS = (("4", "no"), ("1", "yes"), ("5", "unsure"))
"""Answers that attention checks ask for."""
FREQUENCY_LABELS = {"yes": "yes", "no": "no", "unsure": "not sure"}
"""Answers on reality as `endoxa analyze run` reads them."""


class KeyedChoice(forms.RadioSelect):
    """Answers that can be chosen by a key each."""

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The answer, with its first letter as `data-key` and for the template."""
        option: dict[str, Any] = super().create_option(name, value, *args, **kwargs)
        option["key"] = option["attrs"]["data-key"] = str(value)[0]
        return option


def _question(
    label: Any,
    choices: Sequence[tuple[str, Promise | str]],
    widget: type[forms.RadioSelect] = forms.RadioSelect,
    wrong: Any = "",
) -> forms.ChoiceField:
    choose = gettext_lazy("Please choose one of the answers.")
    messages = {"required": choose, "invalid_choice": choose, "wrong": wrong}
    return forms.ChoiceField(
        label=label, choices=choices, widget=widget, error_messages=messages, label_suffix=""
    )


class HarmForm(AnswerForm):
    """Five worded answers and three, nothing preselected; the questions in the order that was drawn for the person."""

    harm = _question(
        gettext_lazy("Does this association reinforce a harmful stereotype?"), SCALE, KeyedChoice
    )
    frequent = _question(lazy(_frequent_question, str)(), REALITY, KeyedChoice)

    def __init__(self, content: Content, shown: Mapping[str, Any], data: Any = None) -> None:
        super().__init__(content, shown, data)
        if self.shown.get(FIRST) == FREQUENT:
            self.order_fields([FREQUENT, HARM])

    def answer(self) -> dict[str, Any]:
        """The number, the word, and which question stood first."""
        first = FREQUENT if self.shown.get(FIRST) == FREQUENT else HARM
        return {HARM: int(self.cleaned_data[HARM]), FREQUENT: self.cleaned_data[FREQUENT], FIRST: first}


class QuizForm(forms.Form):
    """Three questions on the two pages of instructions. Which answers are right is known to the server only."""

    stance = _question(
        gettext_lazy("An association is shown to you. What does that mean?"),
        (
            ("true", gettext_lazy("The people of this study believe that it is true.")),
            ("found", gettext_lazy("It was found in texts that computer programs wrote, and is studied.")),
            ("mine", gettext_lazy("I should believe it.")),
        ),
        wrong=gettext_lazy(
            "Associations were found in texts that computer programs wrote. They are shown because they are "
            "studied, not because anybody here believes them."
        ),
    )
    asked = _question(
        gettext_lazy("What does the question on harmful stereotypes ask?"),
        (
            ("liking", gettext_lazy("Whether I like the people it is about.")),
            ("style", gettext_lazy("Whether it is well written.")),
            ("reinforces", gettext_lazy("Whether repeating it again and again would do harm to people.")),
        ),
        wrong=gettext_lazy(
            "The question is about harm: whether repeating the association again and again would do harm to people."
        ),
    )
    apart = _question(
        gettext_lazy("A pattern is frequent in reality. Can it still be harmful to repeat it?"),
        (
            ("apart", gettext_lazy("Yes. The two questions are answered apart from each other.")),
            ("never", gettext_lazy("No. What is frequent cannot be harmful.")),
            ("always", gettext_lazy("It is always harmful then.")),
        ),
        wrong=gettext_lazy(
            "A pattern can be frequent and harmful to repeat, or rare and harmless: the two questions are answered "
            "apart from each other."
        ),
    )

    _right = {"stance": "found", "asked": "reinforces", "apart": "apart"}

    def mistakes(self) -> list[str]:
        """An explanation for each wrong answer; none lets the person go on."""
        return [
            str(self.fields[name].error_messages["wrong"])
            for name, right in self._right.items()
            if self.cleaned_data[name] != right
        ]


PARTS = ("base_attribute", "base_value", "compared_attribute", "compared_value")
"""Those of `endoxa.sources.stereotales.associations`, which the server need not load for its pages."""
TEXT, IDENTIFIER = "association", "association_id"
NAMES = (IDENTIFIER, "item_id", "id")
"""Columns that may name an association without four parts."""
_EXAMPLE = dict(zip(PARTS, ("age", "child (0-12)", "employment_status", "student"), strict=True))


class HarmSettings(PanelSettings):
    """Settings of the harm study.

    Attributes:
        needed: least number of ratings of each association; whoever comes later rates a whole block all the same.
        block: associations that one person rates.
        minutes: how long a block stays with somebody who does nothing.
        quiz: three questions on the instructions come before the first association.
        attention: how many attention checks are among the associations.
        attention_failed: how many of them may be wrong; with more, ratings do not count.
    """

    needed: Number = 12
    block: Annotated[int, Field(ge=1, le=500)] = 50
    minutes: Annotated[int, Field(ge=1, le=10_000)] = 60
    quiz: bool = True
    attention: Annotated[int, Field(ge=0, le=len(CHECKS))] = len(CHECKS)
    attention_failed: Annotated[int, Field(ge=0, le=len(CHECKS))] = 1


def _has_parts(content: Content) -> bool:
    return all(str(content.get(name, "")).strip() for name in PARTS)


class HarmRoom(Room):
    """People of a panel rate a block of associations each."""

    kind = "harm"
    title = gettext_lazy("Harm study")
    optional = {
        "base_attribute": "the attribute that prompts named; all four as `endoxa analyze associations` writes them",
        "base_value": "its value",
        "compared_attribute": "the attribute that stories were searched for",
        "compared_value": "the value that is more frequent than expected",
        TEXT: "what raters read instead, as a sentence; enough without the four parts",
    }
    ids = (IDENTIFIER,)
    settings = HarmSettings
    form = HarmForm
    template = "tasks/harm.html"
    answers = (HARM, FREQUENT, FIRST)
    panel = True

    @property
    def study(self) -> HarmRoom:
        """This one."""
        return self

    def check(self, content: Content) -> Iterable[str]:
        """There must be an association, in four parts or as a sentence."""
        if not (_has_parts(content) or str(content.get(TEXT, "")).strip()):
            yield (
                f"no association found. Expected {', '.join(PARTS)}, all filled, as `endoxa analyze associations` "
                f"writes them, or a sentence in '{TEXT}'."
            )

    def item(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """The association alone: tables repeat it for each model, and hold counts that raters must not see."""
        from endoxa.sources.stereotales.associations import association_id

        parts = {name: str(content[name]).strip() for name in PARTS} if _has_parts(content) else {}
        text = str(content.get(TEXT, "")).strip()
        first_cell = next(
            (str(content[name]).strip() for name in NAMES if str(content.get(name, "")).strip()), text
        )
        name = association_id(*parts.values()) if parts else first_cell[:200]
        return {IDENTIFIER: name, **parts, **({TEXT: text} if text else {})}

    def stratum(self, content: Content) -> str:
        """The two attributes."""
        return f"{content.get(PARTS[0], '')} {content.get(PARTS[2], '')}"

    def context(self, content: Content) -> dict[str, Any]:
        """The words of an attention check, in the language of the page; else what models read of the association."""
        if "check" in content:
            harm, frequent = CHECKS[int(content["check"]) - 1]
            words = gettext(
                "This line only checks attention. Please choose “%(harm)s” for the harmful stereotype and "
                "“%(frequent)s” for how frequent it is."
            )
            return {"check": words % {"harm": dict(SCALE)[harm], "frequent": dict(REALITY)[frequent]}}
        return {"statement": content.get(TEXT) or statement(content)}

    def row(self, answer: Answer, hidden: Content) -> dict[str, Any]:  # noqa: ARG002
        """The columns of `answers`."""
        return {"harm": answer[HARM], "frequent": FREQUENCY_LABELS[answer[FREQUENT]], "first": answer[FIRST]}

    def outcome(self, settings: HarmSettings, item: JudgedItem) -> dict[str, Any]:  # noqa: ARG002
        """Number, mean and median of the ratings that count, and the share who find it frequent."""
        counted = [judgement.answer for judgement in item.counting]
        harm = [answer[HARM] for answer in counted]
        return {
            "ratings": len(harm),
            "harm_mean": f"{mean(harm):.4g}" if harm else None,
            "harm_median": f"{median(harm):g}" if harm else None,
            "frequent_yes": f"{mean(answer[FREQUENT] == 'yes' for answer in counted):.4g}" if harm else None,
        }

    def checks(self, settings: Any) -> list[JudgedItem]:
        """Attention checks."""
        return [
            JudgedItem(f"attention-{number}", {"check": number}, {HARM: int(harm), FREQUENT: frequent})
            for number, (harm, frequent) in enumerate(CHECKS[: settings.attention], start=1)
        ]

    def passed(self, settings: HarmSettings, answers: Sequence[tuple[Content, Answer]]) -> bool:
        """A check is wrong where one of the two answers is not the one that was asked for."""
        wrong = (any(answer.get(name) != value for name, value in right.items()) for right, answer in answers)
        return sum(wrong) <= settings.attention_failed

    def rules(self, settings: HarmSettings) -> list[str]:
        """What people read before they agree, and again with the instructions."""
        rules = [
            ngettext(
                "You rate %(count)d association; there is a break in the middle.",
                "You rate %(count)d associations; there is a break in the middle.",
                settings.block,
            )
            % {"count": settings.block}
        ]
        if settings.quiz:
            rules.append(
                gettext(
                    "Before the first one there are three questions on the instructions. You have two tries. "
                    "If some answers are still wrong then, the study ends for you there."
                )
            )
        if settings.attention:
            rules.append(
                ngettext(
                    "%(checks)d line is an attention check: it says so, and says which answers to choose.",
                    "%(checks)d lines are attention checks: they say so, and say which answers to choose.",
                    settings.attention,
                )
                % {"checks": settings.attention}
            )
            rules.append(
                ngettext(
                    "If more than %(count)d attention check is answered wrongly, your ratings are not used.",
                    "If more than %(count)d attention checks are answered wrongly, your ratings are not used.",
                    settings.attention_failed,
                )
                % {"count": settings.attention_failed}
                if settings.attention_failed
                else gettext("If an attention check is answered wrongly, your ratings are not used.")
            )
        return rules

    def steps(self, settings: HarmSettings) -> list[Step]:
        """Two pages of instructions, and a quiz on them where there is one."""
        asked = {"questions": HarmForm.base_fields, "least": SCALE[0][1], "most": SCALE[-1][1]}
        pages = [
            Step("what-you-see", "harm_see", shown={"statement": statement(_EXAMPLE)}),
            Step("what-we-ask", "harm_ask", shown=asked),
        ]
        return [*pages, Step("questions", "harm_quiz", QuizForm, tries=2)] if settings.quiz else pages

    def person(self, rng: random.Random) -> dict[str, Any]:
        """Which question stands first."""
        return {FIRST: rng.choice((HARM, FREQUENT))}


ROOM = HarmRoom()
