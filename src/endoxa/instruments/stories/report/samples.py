"""Stories to read, with the profiles read off them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from endoxa.datasets.stereotales import UNKNOWN
from endoxa.instruments.stories.report.records import Sample
from endoxa.instruments.stories.report.results import StoryResults
from endoxa.instruments.stories.report.words import side
from endoxa.page.document import Finding, Section
from endoxa.page.words import language_name, plural

STATIC = 12
"""Stories that can be read without scripts."""


@dataclass(frozen=True, slots=True)
class ShownSample:
    """A story as finished texts."""

    heading: str
    language: str
    story: str
    profile: str


def stories(results: StoryResults) -> Section | None:
    """Heading and notes; the stories come from `shown_samples` and, for scripts, `samples.packed_samples`."""
    if not results.samples:
        return None
    return Section(
        anchor="stories",
        title="Stories, and what was read off them",
        findings=(
            Finding(
                f"{plural(len(results.samples), 'story', 'stories')} can be read here.",
                ({"samples": len(results.samples)},),
            ),
        ),
        notes=(
            "Of each model and language, taken at even distances through the run: nobody picked them. What a "
            "story does not "
            "tell is left out of its profile.",
        ),
    )


def shown_samples(results: StoryResults, samples: Sequence[Sample]) -> tuple[ShownSample, ...]:
    """A few of the samples, at even distances, for readers without scripts."""
    step = max(1, len(samples) // STATIC)
    return tuple(
        ShownSample(heading(results, one), one.language, one.story or "(no text)", profile(one))
        for one in samples[::step][:STATIC]
    )


def heading(results: StoryResults, one: Sample) -> str:
    """Model, language, what the prompt named, scenario; says that it is a refusal."""
    parts = [
        results.label(one.model),
        language_name(one.language),
        side(one.attribute, one.value),
        one.scenario,
    ]
    return " · ".join([part for part in parts if part] + ["refusal"] * bool(one.refused))


def profile(one: Sample) -> str:
    """'age: adult (30-44); gender: woman', or why there is none."""
    if one.profile is None:
        return "No usable profile."
    told = [side(name, value) for name, value in one.profile.items() if value != UNKNOWN]
    return "; ".join(told) or "Nothing could be told about the protagonist."
