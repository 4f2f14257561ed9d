"""The page about stories: one HTML file that needs no network; scripts only filter, sort and unpack stories.

What the report of stories can be written as.

`html`: one page, and its figures beside it. `csv`: every association of every model, alone and pooled, the columns of
`schema.stories.DISCOVERED_COLUMNS` and how harmful it was rated (`rating`, `harmful`).

Data for the page's scripts: compact JSON, compressed, as text that needs no escaping.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from markupsafe import Markup

from endoxa import __version__
from endoxa.datasets.stereotales import UNKNOWN
from endoxa.instruments.stories.report.asked import asked
from endoxa.instruments.stories.report.differences import blind_spots, differences
from endoxa.instruments.stories.report.distributions import distribution_data, distributions
from endoxa.instruments.stories.report.groups import groups_moved
from endoxa.instruments.stories.report.harm import harm_families, overlap_families
from endoxa.instruments.stories.report.headline import headline
from endoxa.instruments.stories.report.languages import languages_compared, models_compared
from endoxa.instruments.stories.report.models import associations_by_model
from endoxa.instruments.stories.report.planted import planted
from endoxa.instruments.stories.report.raters import raters
from endoxa.instruments.stories.report.records import Sample
from endoxa.instruments.stories.report.results import StoryResults, read_results
from endoxa.instruments.stories.report.samples import shown_samples, stories
from endoxa.instruments.stories.report.table import (
    association_data,
    association_table,
    associations,
    csv_rows,
)
from endoxa.instruments.stories.report.tests import families_used, rate
from endoxa.instruments.stories.report.words import attribute_name, value_name
from endoxa.page.document import Section
from endoxa.page.families import families
from endoxa.page.files import replace_text, write_figures
from endoxa.page.html import environment, notices, own_file, shown_section, unique_figures
from endoxa.page.inputs import Run, command
from endoxa.page.words import count, language_name, listed, plural
from endoxa.stats.verdicts import significance

MOST_BYTES = 9_000_000
"""Room for the packed stories; with more, every second one is left out."""


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

    codes = {place(language_name(one.language)): one.language for one in samples}
    rows = [
        [
            place(results.label(one.model)),
            place(language_name(one.language)),
            place(one.scenario),
            place(attribute_name(one.attribute)),
            place(value_name(one.value)),
            -1 if one.refused is None else int(one.refused),
            None
            if one.profile is None
            else [
                place(word)
                for name, value in one.profile.items()
                if value != UNKNOWN
                for word in (attribute_name(name), value_name(value))
            ],
            one.story,
        ]
        for one in samples
    ]
    return {"words": list(words), "codes": codes, "rows": rows}


SCRIPTS = ("common", "table", "distributions", "samples", "start")


def story_sections(runs: Sequence[Run], results: StoryResults) -> list[Section]:
    """All sections in reading order, without empty tables; figure names are unique over them."""
    built = (
        headline(results),
        asked(runs, results),
        planted(results),
        stories(results),
        distributions(results),
        associations(results),
        associations_by_model(results),
        raters(results),
        differences(results),
        blind_spots(results),
        languages_compared(results),
        groups_moved(results),
        models_compared(results),
        _families(results),
    )
    names: set[str] = set()
    filled = (
        replace(section, tables=tuple(table for table in section.tables if table.rows))
        for section in built
        if section is not None
    )
    return [unique_figures(section, names) for section in filled]


def _families(results: StoryResults) -> Section | None:
    """The families of tests of the page; None where nothing was tested."""
    used = [
        *families_used(results),
        *harm_families(results.harm),
        *overlap_families(results.by_language),
    ]
    level = f"{significance(results.confidence):g}"
    alphas = sorted({f"{alpha:g}" for alpha in results.tested["alpha"]} - {level})
    if alphas:
        level = f"{', '.join(alphas)} (associations) or {level} (all others)"
    return families(used, level=level) if any(table.height for _, table, _ in used) else None


def subtitle(results: StoryResults) -> str:
    """How many models wrote and how many associations were found, together and by language; who only rated."""
    wrote = len(results.writers)
    rated = len(results.names) - wrote
    together = results.associations.filter(pl.col("models").list.len() > 0).height
    alone = results.associations.filter(pl.col("languages").list.len() > 0).height
    parts = [f"Stories of {plural(wrote, 'model')}"] if wrote else []
    if wrote and not (results.found.height or results.unrecorded or results.tested["tables"].sum()):
        parts.append("associations cannot be tested")
    elif wrote:
        parts.append(plural(together, "association") + (" over all languages" if alone else ""))
    if alone:
        parts.append(f"{count(alone)} in single languages")
    if rated:
        parts.append(f"{plural(rated, 'model')} rated {'only' if wrote else 'associations'}")
    return f"{'; '.join(parts)}." if parts else ""


def story_page(
    runs: Sequence[Run],
    results: StoryResults,
    sections: Sequence[Section],
    svgs: Mapping[str, str],
    *,
    seed: int,
) -> str:
    """The whole page as text.

    Args:
        runs: every run and table, for its notices and how to repeat it.
        results: what they say.
        sections: what `story_sections` gives.
        svgs: inline SVG by figure name.
        seed: seed of everything that is drawn.
    """
    anchors = {section.anchor for section in sections}
    samples, stories_packed = packed_samples(results) if "stories" in anchors else ((), "")
    data = {
        "stories": stories_packed,
        "distributions": packed(distribution_data(results)) if "distributions" in anchors else "",
        "associations": packed(association_data(results)) if "associations" in anchors else "",
    }
    return (
        environment()
        .get_template("stories.html.j2")
        .render(
            version=__version__,
            title="What models associate in open-ended stories",
            subtitle=subtitle(results),
            notices=notices(runs, results.names),
            entries=[shown_section(section, svgs) for section in sections],
            table=association_table(results),
            samples=shown_samples(results, samples),
            data={name: Markup(text) for name, text in data.items() if text},  # noqa: S704
            level=results.level,
            rates=listed([rate(alpha) for alpha in results.tested["alpha"].unique().sort()]),
            seed=seed,
            commands=list(dict.fromkeys(command(run) for run in runs if run.facts.get("command"))),
            style=own_file("style.css") + own_file("stories.css"),
            script=Markup("\n").join(own_file(f"stories_{name}.js") for name in SCRIPTS),
        )
    )


def writers(
    runs: Sequence[Run], output: Path, *, confidence: float, seed: int, labels: Path | None
) -> dict[str, Callable[[], None]]:
    """What writes each format; the analysis is done here, before anything is touched.

    Args:
        runs: extractions, ratings of harm and tables about stories.
        output: file to write.
        confidence: confidence level of all intervals.
        seed: seed of everything that is drawn.
        labels: table of model labels, see `report.qa.labels.read_labels`.

    Raises:
        UserError: something cannot be read or does not go together.
    """
    results = read_results(runs, confidence=confidence, seed=seed, labels=labels)
    return {
        "html": lambda: _write_html(runs, results, output, seed),
        "csv": lambda: replace_text(output, csv_rows(results).write_csv()),
    }


def _write_html(runs: Sequence[Run], results: StoryResults, output: Path, seed: int) -> None:
    sections = story_sections(runs, results)
    svgs = write_figures((figure for section in sections for figure in section.figures), output)
    replace_text(output, story_page(runs, results, sections, svgs, seed=seed))
