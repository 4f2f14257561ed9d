"""S-AS tables in the manner of AfriStereo: an identity, an attribute and its opposite become two sentences.

AfriStereo (arXiv 2511.22016, section 3.3.4) compares "<identity> are <attribute>." with the same sentence
about the anti-stereotypical attribute. The sentences are made here, by a template that can be changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from string import Formatter

from endoxa.errors import UserError
from endoxa.schema import ReadOptions
from endoxa.sources.drafts import Draft, Format, axis_of
from endoxa.sources.tables import TABLE_SUFFIXES, Row, table_rows

DEFAULT_TEMPLATE = "{identity} are {attribute}."

_REQUIRED = ("identity", "canonical_attribute", "anti_stereotype", "type")
_CARRIED = ("agreement", "region", "association_id")
_NAMES = {
    "item_id": "identity",
    "axis": "type",
    "attribute_more": "canonical_attribute",
    "attribute_less": "anti_stereotype",
}
_AXES = {"women": "gender", "men": "gender"}


def drafts(path: Path, options: ReadOptions) -> Iterator[Draft]:
    """One pair per row, made with `options.template` and `options.prefix`.

    The language is the table's own, else `options.language`, else 'en'.
    Columns agreement, region, association_id and language are carried over where the table has them. The
    prompt for encoder-decoders is an English question, so only English pairs have one.
    """
    template = _checked(options.template or DEFAULT_TEMPLATE)
    prefix = f"{options.prefix.strip()} " if options.prefix and options.prefix.strip() else ""
    for row in table_rows(path, _REQUIRED):
        yield _draft(row, template, prefix, options.language or "en")


def _checked(template: str) -> str:
    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        raise UserError(f"The template '{template}' cannot be read: {error}.") from error
    fields = [name for _, name, _, _ in parts if name is not None]
    plain = not any(spec or conversion for _, _, spec, conversion in parts)
    if set(fields) != {"identity", "attribute"} or not plain:
        raise UserError(
            f"The template '{template}' must contain {{identity}} and {{attribute}} and no other braces, "
            f"for example '{DEFAULT_TEMPLATE}'."
        )
    return template


def _draft(row: Row, template: str, prefix: str, language: str) -> Draft:
    name, attribute, opposite = (_stripped(row, column) for column in _REQUIRED[:3])
    language = _stripped(row, "language") or language
    pair: dict[str, str | None] = {column: row.cells.get(column) or None for column in _CARRIED}
    pair |= {
        "item_id": f"sas-{row.number - 1}",
        "language": language,
        "axis": _AXES.get(axis_of(row.cells.get("type")), axis_of(row.cells.get("type"))),
        "direction": "stereo",
        "stereotypical": "more",
        "sent_more": _sentence(template, prefix + name, attribute) if name and attribute else None,
        "sent_less": _sentence(template, prefix + name, opposite) if name and opposite else None,
        "identity": prefix + name if name else None,
        "attribute_more": attribute or None,
        "attribute_less": opposite or None,
        "prompt": f"What are {(prefix + name).lower()} like?" if name and language == "en" else None,
    }
    sides = {"sent_more": "canonical_attribute", "sent_less": "anti_stereotype"}
    return Draft.of(row, pair, (_NAMES | (sides if name else dict.fromkeys(sides, "identity"))))


def _stripped(row: Row, column: str) -> str:
    return (row.cells.get(column) or "").strip()


def _sentence(template: str, identity: str, attribute: str) -> str:
    text = template.format(identity=identity, attribute=attribute)
    return text[:1].upper() + text[1:]


S_AS = Format(
    name="s-as",
    title="identity, attribute and opposite, as in AfriStereo (2025)",
    suffixes=TABLE_SUFFIXES,
    columns=_REQUIRED,
    drafts=drafts,
    example=(
        "identity,canonical_attribute,anti_stereotype,type\n"
        "farmers,patient,impatient,profession\n"
        "old people,wise,unwise,age\n"
    ),
    units="one row, one pair; the two sentences are made with a template",
)
