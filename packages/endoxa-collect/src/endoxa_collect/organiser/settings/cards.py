"""Form of the card settings: number of ratings, and which pairs people get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import forms
from django.forms import BoundField
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.organiser.settings.limits import field_of
from endoxa_collect.sampler import SamplerSettings

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

_PERCENT = ("topup", "calibration", "prompt", "prompt_early", "candidate_share")

PLAIN: tuple[tuple[StrOrPromise, tuple[str, ...]], ...] = (
    (gettext_lazy("How many ratings"), ("k", "own_slots", "near_slots", "k_max", "disagreement", "topup")),
    (gettext_lazy("Pace and care"), ("break_after", "negative_in_a_row", "in_a_row")),
    (
        gettext_lazy("Asking for new pairs"),
        ("prompt_early", "prompt", "tick_people", "second_mention", "candidate_share"),
    ),
    (gettext_lazy("How long a card is kept for one person, in minutes"), ("lease_workshop", "lease_online")),
)
"""Fields under their headings."""
FOLDED: tuple[tuple[StrOrPromise, tuple[str, ...]], ...] = (
    (
        gettext_lazy("For researchers: pairs that all people rate"),
        ("calibration", "calibration_pairs"),
    ),
)
"""Fields that hardly any campaign changes."""


@dataclass(frozen=True)
class FieldGroup:
    """Fields under one heading; `folded` ones are shown on request, or at once where one has an error (`open`)."""

    heading: StrOrPromise
    fields: tuple[BoundField, ...]
    folded: bool
    open: bool


def _field(name: str, label: StrOrPromise, help_text: StrOrPromise) -> forms.Field:
    scale = 100 if name in _PERCENT else 1
    return field_of(SamplerSettings, name, label=label, help_text=help_text, scale=scale)


class CardsForm(forms.Form):
    """The numbers of the sampler, shares in per cent."""

    k = _field(
        "k",
        gettext_lazy("Ratings each pair should get"),
        gettext_lazy("Pairs with fewer come first. 3 is usual; more needs more people."),
    )
    k_max = _field(
        "k_max",
        gettext_lazy("Maximum ratings per pair"),
        gettext_lazy("After this number a pair is no longer shown."),
    )
    disagreement = _field(
        "disagreement",
        gettext_lazy("Disagreement that asks for more"),
        gettext_lazy(
            "Variance of the answers (1 to 5) from which a pair gets further ratings; 1.5 is a clear split."
        ),
    )
    own_slots = _field(
        "own_slots",
        gettext_lazy("Of these, by people from the country"),
        gettext_lazy("People know best what is said where they come from."),
    )
    near_slots = _field(
        "near_slots",
        gettext_lazy("Of these, by people near it"),
        gettext_lazy(
            "Neighbours, and those who feel close to it. The others are drawn among all who are present, so that "
            "there is something to compare with."
        ),
    )
    topup = _field(
        "topup",
        gettext_lazy("Cards about pairs that people disagree about, in per cent"),
        gettext_lazy("Pairs that have enough ratings, but very different ones."),
    )
    break_after = _field(
        "break_after",
        gettext_lazy("Cards until a pause is offered"),
        gettext_lazy("People can go on or stop."),
    )
    negative_in_a_row = _field(
        "negative_in_a_row",
        gettext_lazy("Unkind cards in a row about the person's own country"),
        gettext_lazy("After this number a kinder card follows, if there is one."),
    )
    in_a_row = _field(
        "in_a_row",
        gettext_lazy("Cards in a row about one country"),
        gettext_lazy("After this number another country follows, if there is one."),
    )
    prompt = _field(
        "prompt",
        gettext_lazy("Open questions once everything is rated, in per cent"),
        gettext_lazy("Cards that show no pair and ask what people say."),
    )
    prompt_early = _field(
        "prompt_early",
        gettext_lazy("Open questions while few pairs wait for ratings, at most, in per cent"),
        gettext_lazy("Fewer as more pairs wait, and never two in a row."),
    )
    tick_people = _field(
        "tick_people",
        gettext_lazy("People who are asked where else the same is said"),
        gettext_lazy("For each attribute. The first few name most countries; later ones repeat them."),
    )
    second_mention = _field(
        "second_mention",
        gettext_lazy("Ticked pairs about countries far from everybody wait for a second mention"),
        gettext_lazy(
            "Before that they take ratings only where little else waits. They are exported either way."
        ),
    )
    candidate_share = _field(
        "candidate_share",
        gettext_lazy("Maximum share of pairs that wait so, in per cent"),
        gettext_lazy("While there are more, nobody is asked where else the same is said."),
    )
    lease_workshop = _field(
        "lease_workshop",
        gettext_lazy("In a room"),
        gettext_lazy("Then somebody else may get the pair; a late answer still counts."),
    )
    lease_online = _field(
        "lease_online", gettext_lazy("Online"), gettext_lazy("People at home are interrupted more often.")
    )
    calibration = _field(
        "calibration",
        gettext_lazy("Cards from the common set, in per cent"),
        gettext_lazy("Pairs that all people go through in one order, so that people can be compared."),
    )
    calibration_pairs = _field(
        "calibration_pairs",
        gettext_lazy("Pairs in the common set"),
        gettext_lazy("Chosen at random among the seeds when they are added."),
    )

    def __init__(self, settings: CampaignSettings, data: QueryDict | None = None) -> None:
        numbers = settings.sampler.model_dump()
        super().__init__(
            data, initial={name: _shown(name, numbers[name]) for name in SamplerSettings.model_fields}
        )

    def groups(self) -> list[FieldGroup]:
        """The fields under their headings; what has an error is never folded away."""
        groups = []
        for parts, folded in ((PLAIN, False), (FOLDED, True)):
            for heading, names in parts:
                fields = tuple(self[name] for name in names)
                groups.append(FieldGroup(heading, fields, folded, any(field.errors for field in fields)))
        return groups

    def clean(self) -> dict[str, Any]:
        """Refuse fewer ratings at most than each pair should get."""
        cleaned = super().clean() or self.cleaned_data
        k, k_max = cleaned.get("k"), cleaned.get("k_max")
        if k is not None and k_max is not None and k_max < k:
            self.add_error("k_max", gettext("This cannot be less than the ratings each pair should get."))
        return cleaned

    def content(self) -> dict[str, Any]:
        """New values by field of `CampaignSettings`."""
        return {"sampler": {name: _stored(name, value) for name, value in self.cleaned_data.items()}}


def _shown(name: str, value: float) -> str | bool:
    if isinstance(value, bool):
        return value
    return f"{100 * value if name in _PERCENT else value:.12g}"


def _stored(name: str, value: float) -> float:
    return value / 100 if name in _PERCENT else value
