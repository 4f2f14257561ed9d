"""Figures with names on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import get_language, gettext

from endoxa.collect import geography
from endoxa.collect.organiser.dashboard.coverage import OTHERS, Coverage


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of the list by country."""

    name: str
    coverage: Coverage


def bars(coverage: Iterable[Coverage]) -> list[Bar]:
    """The rows with the names of their countries in the language of the page."""
    language = get_language() or "en"
    return [Bar(_name(one.country, language), one) for one in coverage]


def _name(country: str, language: str) -> str:
    return gettext("Other countries") if country == OTHERS else geography.name(country, language)
