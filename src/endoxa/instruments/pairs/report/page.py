"""The page: sections of every data set, rendered into one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from markupsafe import Markup

from endoxa import __version__
from endoxa.engine.families import COMPARISONS, PREFERENCES
from endoxa.instruments.pairs.estimates.inference import IDENTITIES
from endoxa.instruments.pairs.report import tables
from endoxa.instruments.pairs.report.axes import axes
from endoxa.instruments.pairs.report.calibration import calibration
from endoxa.instruments.pairs.report.comparison import comparison
from endoxa.instruments.pairs.report.distributions import distributions
from endoxa.instruments.pairs.report.flips import flips
from endoxa.instruments.pairs.report.headline import headline
from endoxa.instruments.pairs.report.overview import overview
from endoxa.instruments.pairs.report.results import Results, all_estimates, gather, pairs_by_run
from endoxa.instruments.pairs.report.sample import MOST_ROWS, PairTable, pair_table
from endoxa.page.document import Figure, Section
from endoxa.page.families import Used, families
from endoxa.page.files import replace_text, write_figures
from endoxa.page.html import bundle, environment, notices, own_file, shown_section, unique_figures
from endoxa.page.inputs import Run, command
from endoxa.page.words import language_name, listed, plural
from endoxa.stats.verdicts import significance

Gathered = list[tuple[Results, list[Run]]]


def tests_made(results: Results) -> Section:
    """The families of tests behind what is claimed about one data set."""
    claimed = ("preference_ratio", "calibrated_preference_ratio", "mean_difference")
    rows = results.estimates.filter(pl.col("name").is_in(claimed) & (pl.col("interval") == IDENTITIES))
    used: list[Used] = [
        (PREFERENCES, own, f"{name.replace('_', ' ')}, {rule}")
        for (rule, name), own in rows.group_by(["rule", "name"], maintain_order=True)
    ]
    return families(
        [*used, (COMPARISONS, results.comparisons, "")],
        f"families-{results.slug}",
        f"{significance(results.confidence):g}",
    )


SECTIONS: tuple[Callable[[Results], Section | None], ...] = (
    headline,
    axes,
    distributions,
    flips,
    calibration,
    comparison,
    tests_made,
)
"""What is said about each data set, in this order."""


@dataclass(frozen=True, slots=True)
class DataPart:
    """Everything about one data set."""

    title: str
    subtitle: str
    slug: str
    sections: tuple[Section, ...]
    pairs: PairTable


def data_parts(gathered: Sequence[tuple[Results, list[Run]]]) -> list[DataPart]:
    """The sections and the pair table of every data set; figure names are unique over all of them."""
    most = shared_out(MOST_ROWS, [len(results.records) for results, _ in gathered])
    names: set[str] = set()
    return [
        DataPart(
            title=results.title,
            subtitle=_subtitle(results),
            slug=results.slug,
            sections=tuple(
                unique_figures(section, names)
                for build in SECTIONS
                if (section := build(results)) is not None
            ),
            pairs=pair_table(results, [run.folder for run in runs], rows),
        )
        for (results, runs), rows in zip(gathered, most, strict=True)
    ]


def shared_out(total: int, wanted: Sequence[int]) -> list[int]:
    """Cut `total` rows into shares, at least one each: who wants fewer than an even share leaves the rest to others."""
    shares = [1] * len(wanted)
    left = total
    for waiting, k in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        shares[k] = max(1, min(wanted[k], left // (len(wanted) - waiting)))
        left -= shares[k]
    return shares


def figures_of(parts: Iterable[DataPart]) -> list[Figure]:
    """Every figure of the report, in reading order."""
    return [figure for part in parts for section in part.sections for figure in section.figures]


def page(
    runs: Sequence[Run],
    parts: Sequence[DataPart],
    svgs: Mapping[str, str],
    labels: Mapping[str, str],
    pairs: Mapping[str, int],
    *,
    confidence: float,
    seed: int,
) -> str:
    """The whole page as text.

    Args:
        runs: every run, for what was run and how to repeat it.
        parts: what is said about each data set.
        svgs: inline SVG by figure name.
        labels: short label of every model.
        pairs: number of pairs by run folder.
        confidence: confidence level of the intervals.
        seed: seed of the bootstrap.
    """
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            version=__version__,
            title=f"Stereotype preference on {listed([part.title for part in parts])}",
            subtitle=f"{plural(len(runs), 'run')}, {plural(len(parts), 'data set')}",
            notices=notices(runs, labels),
            overview=overview(runs, labels, pairs),
            datasets=[_shown(part, svgs) for part in parts],
            commands=list(dict.fromkeys(command(run) for run in runs)),
            level=f"{100 * confidence:g} %",
            confidence=confidence,
            seed=seed,
            style=own_file("style.css"),
            script=_script(),
        )
    )


def _shown(part: DataPart, svgs: Mapping[str, str]) -> dict[str, Any]:
    return {
        "title": part.title,
        "subtitle": part.subtitle,
        "slug": part.slug,
        "pairs": part.pairs,
        "sections": [shown_section(section, svgs) for section in part.sections],
    }


def _subtitle(results: Results) -> str:
    records = results.records
    pairs = records["item_id"].n_unique()
    return (
        f"{plural(pairs, 'pair')} in {listed([language_name(code) for code in results.languages])}, "
        f"{plural(records['axis'].n_unique(), 'axis', 'axes')}, "
        f"{plural(records['model'].n_unique(), 'model')}, {plural(records['rule'].n_unique(), 'rule')}."
    )


def _script() -> Markup:
    """The script with the packed table library in it; base64 text needs no escaping."""
    packed = (
        f'const BUNDLE_CSS = "{bundle("dt_bundle.css")}";\nconst BUNDLE_JS = "{bundle("dt_bundle.js")}";\n'
    )
    return Markup(packed) + own_file("script.js")  # noqa: S704


def writers(runs: Sequence[Run], output: Path, confidence: float, seed: int) -> dict[str, Callable[[], None]]:
    """What writes each format; the analysis is done here, before anything is touched."""
    gathered = gather(runs, confidence, seed)
    return {
        "html": lambda: _write_html(runs, gathered, output, confidence, seed),
        "csv": lambda: replace_text(output, all_estimates(gathered).write_csv()),
        "md": lambda: _write_table("markdown", gathered, output),
        "latex": lambda: _write_table("latex", gathered, output),
    }


def _write_html(runs: Sequence[Run], gathered: Gathered, output: Path, confidence: float, seed: int) -> None:
    parts = data_parts(gathered)
    svgs = write_figures(figures_of(parts), output)
    text = page(
        runs, parts, svgs, gathered[0][0].labels, pairs_by_run(gathered), confidence=confidence, seed=seed
    )
    replace_text(output, text)


def _write_table(kind: str, gathered: Gathered, output: Path) -> None:
    results = [result for result, _ in gathered]
    text = tables.markdown(results) if kind == "markdown" else tables.latex(results)
    replace_text(output, text)
