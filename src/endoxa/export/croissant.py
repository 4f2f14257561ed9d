"""Croissant: the data set described for programs that load data sets (MLCommons, version 1.0, with its RAI words)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.export.datasheet import Facts
from endoxa.export.licences import Terms
from endoxa.export.material import COLUMNS, Material
from endoxa.sources.files import sha256

FILE = "croissant.json"

_CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{
        name: f"cr:{name}"
        for name in (
            *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject"),
            *(
                "fileSet",
                "format",
                "includes",
                "isLiveDataset",
                "jsonPath",
                "key",
                "md5",
                "parentField",
                "path",
            ),
            *(
                "recordSet",
                "references",
                "regex",
                "repeated",
                "replace",
                "samplingRate",
                "separator",
                "source",
            ),
            *("subField", "transform"),
        )
    },
}
"""The context of the standard: what its words mean."""

_RAI: Mapping[str, str] = {
    "collection.how": "dataCollection",
    "collection.when": "dataCollectionTimeframe",
    "composition.people": "personalSensitiveInformation",
    "composition.missing": "dataCollectionMissingData",
    "preprocessing.steps": "dataPreprocessingProtocol",
    "preprocessing.review": "dataAnnotationProtocol",
    "uses.intended": "dataUseCases",
    "uses.limits": "dataLimitations",
    "maintenance.updates": "dataReleaseMaintenancePlan",
}
"""Words of the extension for responsible AI, by the question of the data sheet that answers them."""


def croissant(
    material: Material, terms: Terms, facts: Facts, *, title: str, answers: Mapping[str, str], folder: Path
) -> str:
    """The metadata of a released folder as JSON-LD.

    Args:
        material: the table.
        terms: licence.
        facts: what the makers say.
        title: name of the data set.
        answers: answers of the data sheet by question; those that nobody gave are left out.
        folder: the folder, with the data in it.

    Source: Akhtar et al. 2024, Croissant: a metadata format for ML-ready datasets; https://docs.mlcommons.org/croissant.
    """
    kind, about = material.kind, facts.about
    data = folder / "data" / f"{kind}.parquet"
    described: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": title,
        "description": answers.get("motivation.purpose")
        or f"{title}: {material.table.height} {kind} for measuring stereotypes in language models. "
        "The sentences can hurt; see CONTENT_NOTICE.md.",
        "keywords": ["stereotypes", "bias evaluation", "fairness"],
        "isLiveDataset": False,
        "creator": [{"@type": "sc:Organization", "name": name} for name in facts.authors],
        "license": terms.licence.url if terms.licence else "LICENSE" if terms.text else None,
        "version": about.get("version"),
        **{f"rai:{word}": answers.get(key) for key, word in _RAI.items()},
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": data.name,
                "name": data.name,
                "contentUrl": f"data/{data.name}",
                "contentSize": f"{data.stat().st_size} B",
                "encodingFormat": "application/x-parquet",
                "sha256": sha256(data),
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": kind,
                "name": kind,
                "field": [
                    {
                        "@type": "cr:Field",
                        "@id": f"{kind}/{column}",
                        "name": column,
                        "description": COLUMNS[kind].get(column, "kept by name"),
                        "dataType": _data_type(dtype),
                        "source": {"fileObject": {"@id": data.name}, "extract": {"column": column}},
                    }
                    for column, dtype in material.table.schema.items()
                ],
            }
        ],
    }
    filled = {key: value for key, value in described.items() if value not in (None, "", [])}
    return json.dumps(filled, ensure_ascii=False, indent=1) + "\n"


def _data_type(dtype: pl.DataType) -> str:
    if dtype.is_integer():
        return "sc:Integer"
    return "sc:Float" if dtype.is_float() else "sc:Boolean" if dtype == pl.Boolean else "sc:Text"
