"""A folder ready for the Hugging Face hub: data, data card with counts, notice, licence, citation, checksums."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.export.datasheet import OPEN, Facts, datasheet, derived_answers, open_mark
from endoxa.export.folder import new_folder, render
from endoxa.export.licences import Terms
from endoxa.export.material import COLUMNS, Kind, Material
from endoxa.sources.frames import write_table

COUNTED: dict[Kind, tuple[str, ...]] = {
    "pairs": ("language", "axis", "region", "direction", "how", "review_decision", "identity"),
    "associations": ("language", "axis", "region", "polarity", "source", "review_decision", "identity"),
    "statements": ("language", "axis", "question", "rule", "omit", "flag", "review_decision", "identity"),
}
"""Columns whose values are counted, by kind of table."""

MOST_LISTED = 20
"""Values that are listed one by one; the others are summed up."""


def composition(material: Material) -> list[dict[str, Any]]:
    """Rows by the values of every column of `COUNTED` that says anything; ties in the order of the values.

    Returns:
        Of each `column`: `rows`, the most frequent values with their rows, at most `MOST_LISTED`; `others`, how many
        values there are beyond those, and their rows; and `empty`, the rows without a value.
    """
    counts = []
    for column in COUNTED[material.kind]:
        if column not in material.table.columns:
            continue
        filled = material.table.filter(pl.col(column).fill_null("") != "")
        shares = filled.group_by(column).len().sort(["len", column], descending=[True, False])
        listed, rest = shares.head(MOST_LISTED).rows(), shares.slice(MOST_LISTED)
        others, empty = (rest.height, rest["len"].sum()), material.table.height - filled.height
        if listed:
            counts.append({"column": column, "rows": listed, "others": others, "empty": empty})
    return counts


SPLITS: dict[Kind, str] = {"pairs": "test", "associations": "train", "statements": "train"}
"""Name of the one split: pairs are for evaluation only; for other tables it is the hub's own default."""

_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "n>10M")
"""The hub's sizes, each up to the next power of ten from 1,000 on."""
_UNDECLARED = "und"


@dataclass(frozen=True, slots=True)
class Released:
    """What is still to be done about a release.

    Attributes:
        open: how many open marks there are, by the key of the missing fact.
        warnings: what must be seen to before the folder is published.
    """

    open: dict[str, int]
    warnings: tuple[str, ...]


def export_hub(
    material: Material,
    target: Path,
    terms: Terms,
    facts: Facts,
    *,
    name: str | None = None,
    overwrite: bool = False,
) -> Released:
    """Write the folder `target`.

    Args:
        material: the table to release.
        target: folder to make.
        terms: licence and citation.
        facts: what the makers say.
        name: title; else that of the facts, else the file's name.
        overwrite: see `endoxa.export.folder.new_folder`.

    Raises:
        UserError: `target` is in the way, or the place cannot be written.
    """
    title = " ".join((name or facts.about.get("title") or material.path.stem).split())
    texts = _texts(material, terms, facts, title)
    with new_folder(target, material.provenance, overwrite=overwrite) as folder:
        (folder / "data").mkdir()
        for suffix in ("parquet", "jsonl"):
            write_table(material.table, folder / "data" / f"{material.kind}.{suffix}")
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8")
        for source, file in ((terms.text, "LICENSE"), (terms.citation, "CITATION.cff")):
            if source is not None:
                shutil.copyfile(source, folder / file)
    marks = Counter(key for text in texts.values() for key in OPEN.findall(text))
    return Released(dict(marks), _warnings(material, terms))


def front_matter(material: Material, terms: Terms, title: str) -> dict[str, Any]:
    """The metadata of the data card, by the hub's names."""
    languages, kind = _languages(material), material.kind
    data = {"split": SPLITS[kind], "path": f"data/{kind}.parquet"}
    return {
        "pretty_name": title,
        "language": languages,
        "multilinguality": "multilingual" if len(languages) > 1 else "monolingual",
        "license": terms.licence.hub if terms.licence else "other" if terms.text else "unknown",
        "size_categories": _SIZES[sum(material.table.height >= 10**power for power in range(3, 8))],
        "task_categories": ["text-generation" if kind == "pairs" else "text-classification"],
        "tags": ["stereotypes", "bias-evaluation", "fairness", "not-for-all-audiences", f"endoxa-{kind}"],
        "configs": [{"config_name": "default", "data_files": [data]}],
    }


def _languages(material: Material) -> list[str]:
    """ISO 639 codes without script and region, as the hub wants them; without the code for "not known"."""
    if "language" not in material.table.columns:
        return []
    codes = {code.partition("-")[0] for code in material.table["language"].drop_nulls()}
    return sorted(codes - {"", _UNDECLARED})


def _texts(material: Material, terms: Terms, facts: Facts, title: str) -> dict[str, str]:
    """The text files of the folder but those that are given."""
    values: dict[str, Any] = {
        "title": title,
        "material": material,
        "facts": facts,
        "terms": terms,
        "open_mark": open_mark,
        "holder": facts.about.get("rights_holder")
        or ", ".join(facts.authors)
        or open_mark("about.rights_holder"),
    }
    card = render(
        "hub_card.md",
        **values,
        front=front_matter(material, terms, title),
        split=SPLITS[material.kind],
        columns={
            column: COLUMNS[material.kind].get(column, "kept by name") for column in material.table.columns
        },
        composition=composition(material),
        sections=datasheet(derived_answers(material, facts, terms), facts.answers),
    )
    texts = {"README.md": card, "CONTENT_NOTICE.md": render("hub_notice.md", **values)}
    if terms.text is None:
        texts["LICENSE"] = render("hub_licence", **values)
    if terms.citation is None:
        texts["CITATION.cff"] = render("hub_citation.cff", **values)
    return texts


def _warnings(material: Material, terms: Terms) -> tuple[str, ...]:
    names = []
    if terms.licence is None and terms.text is None:
        names.append("no licence: nobody may use the data. Give one with --license (LICENSE is marked open).")
    if not _languages(material):
        names.append(
            "no row has a language, so the hub cannot list the data set by language. Give one with --language."
        )
    if material.linked:
        names.append(
            "the ids of statements begin with the respondent's code, so that answers of one person can be put together."
        )
    return tuple(names)
