"""What all pages share: their templates, their sections as templates see them, notices, unique names of figures.

The table library of itables, packed into the page: sorting and filtering without a network.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from endoxa.page.document import Section
from endoxa.page.inputs import Run


def environment() -> Environment:
    """The templates of the report, everything escaped that is not marked as ours."""
    return Environment(
        loader=PackageLoader("endoxa.page"),
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
    return Markup((files("endoxa.page") / "templates" / name).read_text(encoding="utf-8"))  # noqa: S704


@cache
def bundle(name: str) -> str:
    """A file of the DataTables bundle that itables ships ('dt_bundle.js'), gzipped, as base64 text.

    Packed because it is 700 kB otherwise. Every browser since 2023 unpacks it (DecompressionStream); in older
    ones the table stays as it is, readable.
    """
    content = (files("itables") / "html" / name).read_bytes()
    return base64.b64encode(gzip.compress(content, compresslevel=9, mtime=0)).decode("ascii")
