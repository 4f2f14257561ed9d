"""Stories to read, with the profiles read off them: a few for readers without scripts, more packed for scripts."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from endoxa.instruments.stories.report.records import Sample
from endoxa.instruments.stories.report.results import StoryResults
from endoxa.instruments.stories.report.words import attribute_name, side, value_name
from endoxa.report.document import Finding, Section
from endoxa.report.words import language_name, plural
from endoxa.sources.stereotales import UNKNOWN

STATIC = 12
"""Stories that can be read without scripts."""

MOST_BYTES = 9_000_000
"""Room for the packed stories; with more, every second one is left out."""


@dataclass(frozen=True, slots=True)
class ShownSample:
    """A story as finished texts."""

    heading: str
    language: str
    story: str
    profile: str


def stories(results: StoryResults) -> Section | None:
    """Heading and notes; the stories come from `shown_samples` and, for scripts, `packed_samples`."""
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
        template="stories.html.j2",
    )


def shown_samples(results: StoryResults, samples: Sequence[Sample]) -> tuple[ShownSample, ...]:
    """A few of the samples, at even distances, for readers without scripts."""
    step = max(1, len(samples) // STATIC)
    return tuple(
        ShownSample(heading(results, sample), sample.language, sample.story or "(no text)", profile(sample))
        for sample in samples[::step][:STATIC]
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


def packed(data: Any) -> str:
    """The data as JSON, gzipped, in base64: nothing in it can end a script element.

    Browsers since 2023 unpack it (DecompressionStream); in older ones the page stays as it is without scripts.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    content = gzip.compress(text.encode("utf-8", "replace"), compresslevel=9, mtime=0)
    return base64.b64encode(content).decode("ascii")


def packed_samples(results: StoryResults, most_bytes: int = MOST_BYTES) -> tuple[tuple[Sample, ...], str]:
    """The samples that fit, and the same packed for the page's scripts."""
    kept = results.samples
    text = packed(_compact(results, kept))
    while len(text) > most_bytes:
        kept = kept[::2]
        text = packed(_compact(results, kept))
    return kept, text


def _compact(results: StoryResults, samples: Sequence[Sample]) -> dict[str, Any]:
    """Words once, rows as places in the list of words; a profile as pairs of places, unknown values left out."""
    words: dict[str, int] = {}

    def place(word: str) -> int:
        return words.setdefault(word, len(words))

    codes = {place(language_name(sample.language)): sample.language for sample in samples}
    rows = [
        [
            place(results.label(sample.model)),
            place(language_name(sample.language)),
            place(sample.scenario),
            place(attribute_name(sample.attribute)),
            place(value_name(sample.value)),
            -1 if sample.refused is None else int(sample.refused),
            None
            if sample.profile is None
            else [
                place(word)
                for name, value in sample.profile.items()
                if value != UNKNOWN
                for word in (attribute_name(name), value_name(value))
            ],
            sample.story,
        ]
        for sample in samples
    ]
    return {"words": list(words), "codes": codes, "rows": rows}
