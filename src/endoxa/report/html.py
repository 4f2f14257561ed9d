"""What all pages share: their templates, their sections as templates see them, notices, unique names of figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from endoxa.report.document import Section
from endoxa.report.inputs import Run


def environment() -> Environment:
    """The templates of the report, everything escaped that is not marked as ours."""
    return Environment(
        loader=PackageLoader("endoxa.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def shown_section(section: Section, svgs: Mapping[str, str]) -> dict[str, Any]:
    """The section as the templates see it: figures with their SVG, which is ours and not escaped."""
    return {
        "anchor": section.anchor,
        "title": section.title,
        "findings": [finding.text for finding in section.findings],
        "notes": section.notes,
        "tables": section.tables,
        "figures": [
            {"title": figure.title, "wide": figure.wide, "svg": Markup(svgs[figure.name])}  # noqa: S704
            for figure in section.figures
        ],
    }


def unique_figures(section: Section, names: set[str]) -> Section:
    """The section with figure names that are not among `names`, which grow."""
    figures = []
    for figure in section.figures:
        name, number = figure.name, 1
        while name in names:
            number += 1
            name = f"{figure.name}-{number}"
        names.add(name)
        figures.append(replace(figure, name=name))
    return replace(section, figures=tuple(figures))


def notices(runs: Iterable[Run], models: Iterable[str]) -> list[str]:
    """What the runs want said prominently, each once; simulated models are always said to be."""
    said = [str(run.facts["notice"]) for run in runs if run.facts.get("notice")]
    if any(model.startswith("sim/") for model in models):
        said.append(
            "Models whose name begins with sim/ are simulated respondents with a preference set by hand."
        )
    return list(dict.fromkeys(said))


def own_file(name: str) -> Markup:
    """A file of the templates as it is."""
    return Markup((files("endoxa.report") / "templates" / name).read_text(encoding="utf-8"))  # noqa: S704
