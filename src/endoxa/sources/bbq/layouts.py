"""Published questions that are laid out like BBQ's with names and marks of their own: EsBBQ, CaBBQ, CBBQ, KoBBQ.

MBBQ has BBQ's own layout. A record is recognised by its fields.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from endoxa.errors import UserError

KOBBQ = frozenset({"sample_id", "context", "question", "choices", "biased_answer", "answer"})
_SAMPLE = re.compile(r"(?P<category>.+)-[^-]+-[^-]+-(?P<condition>amb|dis)-(?P<question>bsd|cnt)$")
_UNKNOWN = {"es": "No se sabe", "ca": "No se sap"}
"""What an option says that the file has as the word 'unknown', by language."""


def as_bbq(record: Mapping[str, Any], path: Path, line: int) -> dict[str, Any]:
    """The record with the fields of BBQ; any other record as it is.

    Args:
        record: as published.
        path: the file, for messages.
        line: for messages.

    Raises:
        UserError: a record of KoBBQ whose choices or answers cannot be read.
    """
    if record.keys() >= KOBBQ:
        return _kobbq(record, path, line)
    if "bias_targeted_groups" in record:
        return _cbbq(record)
    if "instance_id" in record and "template_id" in record:
        return _esbbq(record)
    return dict(record)


def _esbbq(record: Mapping[str, Any]) -> dict[str, Any]:
    """A question in Spanish begins with "¿", one in Catalan does not."""
    language = record.get("language") or ("es" if "¿" in str(record.get("question")) else "ca")
    options = {
        name: _UNKNOWN.get(language, "unknown")
        if str(record.get(name)).strip() == "unknown"
        else record.get(name)
        for name in ("ans0", "ans1", "ans2")
    }
    return {**record, **options, "language": language, "example_id": str(record["instance_id"])}


def _cbbq(record: Mapping[str, Any]) -> dict[str, Any]:
    condition = str(record.get("context_condition", "")).strip()
    return {
        "language": "zh",
        **record,
        # Numbers begin anew in each of the two files of a category.
        "example_id": f"{condition}-{record.get('example_id')}",
        "stereotyped_groups": record["bias_targeted_groups"],
    }


def _kobbq(record: Mapping[str, Any], path: Path, line: int) -> dict[str, Any]:
    """The biased answer is the option of the stereotyped group where the question is 'bsd', else the other person."""
    sample = _SAMPLE.match(str(record["sample_id"]))
    try:
        choices = record["choices"]
        choices = ast.literal_eval(choices) if isinstance(choices, str) else choices
        options = [str(choice).strip() for choice in choices]
        right, biased = (options.index(str(record[name]).strip()) for name in ("answer", "biased_answer"))
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        options = []
    if sample is None or len(options) != 3:
        raise UserError(
            f"{path}, line {line}: not a record of KoBBQ. Expected a sample_id such as age-001a-002-amb-bsd, a list of "
            "three choices, and answer and biased_answer among them."
        )
    negative = sample["question"] == "bsd"
    unknown = next((k for k, option in enumerate(options) if option == "알 수 없음"), 2)
    other = next(k for k in range(3) if k not in (biased, unknown))
    return {
        "example_id": record["sample_id"],
        "category": sample["category"],
        "context": record["context"],
        "question": record["question"],
        "question_polarity": "neg" if negative else "nonneg",
        "context_condition": "ambig" if sample["condition"] == "amb" else "disambig",
        **{f"ans{k}": option for k, option in enumerate(options)},
        "label": right,
        "unknown": unknown,
        "stereotyped_groups": [options[biased if negative else other]],
        "language": "ko",
    }
