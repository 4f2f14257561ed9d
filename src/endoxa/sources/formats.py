"""Published formats of sentence pairs whose rows are pairs, and our own columns.

**CrowS-Pairs** (Nangia et al. 2020), as published in `crows_pairs_anonymized.csv`. `sent_more` is the sentence that
stereotypes more, in rows labelled 'stereo' and 'antistereo' alike (paper, section 2), so `stereotypical` is always
'more'. The file does not name the group a pair is about; `identity` is taken from the words in which the stereotypical
sentence differs from the other one.

**IndiBias** (Sahoo et al. 2024): each row holds a pair in English and the same pair in Hindi. A row becomes two items,
English first. In rows labelled 'antistereo' `sent_more` is the anti-stereotypical sentence, so the stereotypical one is
`sent_less` (paper, section 6.1.1 and the difference S2 - S1 of appendix C). Texts are kept exactly as published, line
breaks inside a cell included, so that published scores can be reproduced to the digit. The English `identity` is the
`identity_key` of both languages, so that a translation is not taken for another identity.

**S-AS** tables in the manner of AfriStereo (arXiv 2511.22016, section 3.3.4): "<identity> are <attribute>." against the
same sentence about the anti-stereotypical attribute. The sentences are made here, by a template that can be changed.

**Our own columns** (`endoxa.schema.PAIR_COLUMNS`): only the two sentences are required. CrowS-Pairs' names `bias_type`
and `stereo_antistereo` are accepted for `axis` and `direction`; columns we do not know are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from string import Formatter

from endoxa.errors import UserError
from endoxa.schema import PAIR_COLUMNS, ReadOptions
from endoxa.sources.drafts import Draft, axis_of, direction_of, table_format
from endoxa.sources.tables import Row, require_known_columns, table_rows
from endoxa.sources.typography import differing_words


def _drafts(
    columns: tuple[str, ...],
    read: Callable[[Row, ReadOptions], Iterator[Draft]],
    path: Path,
    options: ReadOptions,
) -> Iterator[Draft]:
    """The pairs of each row; a row that cannot be read is a draft without cells."""
    for row in table_rows(path, columns):
        yield from read(row, options) if row.cells else [_draft(row, {})]


def _draft(row: Row, names: Mapping[str, str], **computed: str | None) -> Draft:
    """A pair: cells under the file's `names` of our columns, what is `computed`, and labels in our form."""
    pair: dict[str, str | None] = {ours: row.cells.get(theirs) for ours, theirs in names.items()}
    pair |= computed
    pair |= {"axis": axis_of(pair.get("axis")), "direction": direction_of(pair.get("direction"))}
    return Draft(row.number, row.line, pair, names, row.faults)


_SENTENCES = ("sent_more", "sent_less")
_LABELS = {"axis": "bias_type", "direction": "stereo_antistereo"}

# --------------------------------------------------------------------------- CrowS-Pairs

_CROWS_PAIRS = (*_SENTENCES, "stereo_antistereo", "bias_type")
_UNNAMED = "Unnamed: 0"
"""What pandas calls the published column of row numbers, which has no name."""


def _crows_pairs(row: Row, options: ReadOptions) -> Iterator[Draft]:
    """`options.language` is the language of a translated file (default 'en')."""
    number = row.cells.get("") or row.cells.get(_UNNAMED) or row.number - 1
    yield _draft(
        row,
        {"item_id": "", **dict(zip(_SENTENCES, _SENTENCES, strict=True)), **_LABELS},
        item_id=f"crows-{number}",
        language=options.language or "en",
        stereotypical="more",
        identity=differing_words(*(row.cells.get(name) or "" for name in _SENTENCES)),
    )


CROWS_PAIRS = table_format(
    "crows-pairs",
    "CrowS-Pairs (Nangia et al. 2020)",
    _CROWS_PAIRS,
    partial(_drafts, _CROWS_PAIRS, _crows_pairs),
    other_columns=frozenset({"item_id", "axis", "direction", "stereotypical", "language"}),
)

# --------------------------------------------------------------------------- IndiBias

_IN_LANGUAGES = {
    "en": ("modified_eng_sent_more", "modified_eng_sent_less"),
    "hi": ("sent_more_hindi", "sent_less_hindi"),
}
_INDIBIAS = ("index", *_IN_LANGUAGES["en"], *_IN_LANGUAGES["hi"], "bias_type", "stereo_antistereo")


def _indibias(row: Row, options: ReadOptions) -> Iterator[Draft]:  # noqa: ARG001 (the file says everything)
    """Two pairs: `indibias-<index>-en`, then `indibias-<index>-hi`."""
    index = (row.cells.get("index") or "").strip()
    antistereo = direction_of(row.cells.get("stereo_antistereo")) == "antistereo"
    key = ""
    for language, columns in _IN_LANGUAGES.items():
        sides = [row.cells.get(column) or "" for column in columns]
        identity = differing_words(*(reversed(sides) if antistereo else sides))
        key = key or (identity.lower() if identity else f"indibias-{index}")
        yield _draft(
            row,
            {"item_id": "index", **dict(zip(_SENTENCES, columns, strict=True)), **_LABELS},
            item_id=f"indibias-{index}-{language}" if index else None,
            language=language,
            stereotypical="less" if antistereo else "more",
            identity=identity,
            identity_key=key,
        )


INDIBIAS = table_format(
    "indibias",
    "IndiBias (Sahoo et al. 2024), English and Hindi",
    _INDIBIAS,
    partial(_drafts, _INDIBIAS, _indibias),
    units="one row, two pairs: the English one, then the Hindi one",
)

# --------------------------------------------------------------------------- identity, attribute and opposite

DEFAULT_TEMPLATE = "{identity} are {attribute}."
_S_AS = ("identity", "canonical_attribute", "anti_stereotype", "type")
_S_AS_NAMES = {"axis": "type", "attribute_more": "canonical_attribute", "attribute_less": "anti_stereotype"}
_AXES = {"women": "gender", "men": "gender"}


def _s_as(row: Row, options: ReadOptions) -> Iterator[Draft]:
    """A pair made with `options.template` and `options.prefix`.

    The language is the table's own, else `options.language`, else 'en'. The prompt for encoder-decoders is an English
    question, so only English pairs have one.
    """
    template = _checked(options.template or DEFAULT_TEMPLATE)
    name, attribute, opposite, language = (
        (row.cells.get(column) or "").strip() for column in (*_S_AS[:3], "language")
    )
    language = language or options.language or "en"
    prefix = (options.prefix or "").strip()
    identity = f"{prefix} {name}" if name and prefix else name
    sides = {"sent_more": attribute, "sent_less": opposite}
    sentences = {
        side: _sentence(template, identity, text) if identity and text else None
        for side, text in sides.items()
    }
    axis = axis_of(row.cells.get("type"))
    places = [_S_AS_NAMES[f"attribute{side.removeprefix('sent')}"] if name else "identity" for side in sides]
    yield _draft(
        row,
        {"item_id": "identity", **_S_AS_NAMES, **dict(zip(sides, places, strict=True))},
        **{column: row.cells.get(column) or None for column in ("agreement", "region", "association_id")},
        item_id=f"sas-{row.number - 1}",
        language=language,
        axis=_AXES.get(axis, axis),
        direction="stereo",
        stereotypical="more",
        **sentences,
        identity=identity or None,
        attribute_more=attribute or None,
        attribute_less=opposite or None,
        prompt=f"What are {identity.lower()} like?" if name and language == "en" else None,
    )


@lru_cache(maxsize=8)
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


def _sentence(template: str, identity: str, attribute: str) -> str:
    text = template.format(identity=identity, attribute=attribute)
    return text[:1].upper() + text[1:]


S_AS = table_format(
    "s-as",
    "identity, attribute and opposite, as in AfriStereo (2025)",
    _S_AS,
    partial(_drafts, _S_AS, _s_as),
    units="one row, one pair; the two sentences are made with a template",
)

# --------------------------------------------------------------------------- our own columns


def _native(path: Path, options: ReadOptions) -> Iterator[Draft]:
    """One pair per row.

    Where the file says nothing: item_id the `draft_id` of a draft, else '<file stem>-<row>', association_id the
    `source_ids` of a draft, language `options.language` or else 'und', axis
    'unspecified', direction 'unknown', stereotypical 'more'.
    """
    stated = options.columns
    require_known_columns(stated, PAIR_COLUMNS, "pairs")
    required = {*(stated.get(name, name) for name in _SENTENCES), *stated.values()}
    for row in table_rows(path, sorted(required), optional=tuple(_LABELS.values())):
        cells = row.cells
        published = {ours: name for ours, name in _LABELS.items() if ours not in cells and name in cells}
        names = published | dict(stated)
        pair = {name: cells.get(names.get(name, name)) or None for name in PAIR_COLUMNS}
        yield _draft(
            row,
            names,
            **pair
            | {
                "item_id": pair["item_id"] or cells.get("draft_id") or f"{path.stem}-{row.number}",
                "association_id": pair["association_id"] or cells.get("source_ids") or None,
                "language": pair["language"] or options.language or "und",
                "direction": direction_of(pair["direction"]) or "unknown",
                "stereotypical": direction_of(pair["stereotypical"]) or "more",
            },
        )


NATIVE = table_format("native", "endoxa's own columns", _SENTENCES, _native)
