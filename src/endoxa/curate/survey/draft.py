"""A first map for a survey that has none: a proposal to be read and mended by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from endoxa.curate.survey.mapping import is_code_header, plain_header, shown, without_code
from endoxa.curate.survey.reading import holds_codes, private_columns, read_export

_WORDS = 4.0
"""Words that answers in words have on average, at least."""
_QUESTION_WORDS = 1.5
"""The same in a column whose header asks what is said or thought, or asks of others than the respondent."""
_VARIED = 0.5
"""Least share of different answers in such a column: choices among a few are no answers in words."""
_STEREOTYPE_WORDS = re.compile(
    r"\bsa(?:y|id|ys|ying)\b|\bth(?:ink|ought)|\bbelie[fv]|\bstereotyp|\best[eé]r[eé]otip|\bst[eé]r[eé]otyp|\bopinion"
    r"|\bdescrib|\bd(?:it|isent|ice|icen|iz|izem)\b|\bpens(?:e|ent|er|a|an|am)\b|\bpiensan?\b|\bcroi(?:t|ent)\b"
    r"|\bcreen?\b|\bopini[oó]n|\bwanasema\b|\bwanafikiri\b|\bhusema\b"
)
_TIME = re.compile(r"\d{1,2}:\d\d")
_OF_RESPONDENT = re.compile(
    r"\b(?:you|yours?|usted|t[uú]|su|vous|votre|vos|voc[eê]|seu|sua|unaishi|wewe|yako)\b"
)
_AXES = {
    "gender": r"\bwom[ae]n\b|\bm[ae]n\b|\bgender\b|\bfemmes?\b|\bhommes?\b|\bgenre\b|\bmujer|\bhombre",
    "ethnicity": r"\bethni|\btribe|\bregion|\brégion",
    "religion": r"\breligi",
    "age": r"\bage\b|\b(?:old|older|young|elderly) people\b|\bâge|\bedad\b",
    "profession": r"\bprofession|\boccupation|\bjob|\bmétier",
    "nationality": r"\bnationalit|\bcountr|\bpays\b",
}
_IDENTITIES = {"women": r"\bwomen\b|\bfemmes\b|\bmujeres\b", "men": r"\bmen\b|\bhommes\b|\bhombres\b"}
_COUNTRY = re.compile(
    r"^where do you (?:live|reside)|\bcountry\b.*\b(?:live|reside)|\bpays\b.*\b(?:vi[vs]|rési)|^country$|^pays$"
)
_HEAD = """\
# Draft mapping for {name}: correct names and axes, delete what you do not need.
# A header may be shortened, as long as only one column starts with it.
title = {title}
# languages = ["en", "fr"]  # languages the answers may be in, if you know them
{respondent}{country}"""


def draft_map(path: Path) -> str:
    """TOML of a map for the table at `path`: questions are the columns that hold sentences.

    Columns that are left out stand at the end as comments, so that nothing is overlooked.

    Raises:
        UserError: the file cannot be read.
    """
    table = read_export(path)
    code = next((name for name in table.columns if is_code_header(name) and holds_codes(table, name)), None)
    private = {
        column.column: column.kind
        for column in private_columns(table, table.columns)
        if column.column != code
    }
    country = next((name for name in table.columns if _COUNTRY.search(_plain(name))), None)
    read = {*private, code, country}
    questions = [name for name in table.columns if name not in read and _is_question(name, table[name])]
    rest = [name for name in table.columns if name not in {*questions, *read}]
    head = _HEAD.format(
        name=path.name,
        title=_quoted(path.stem),
        respondent=f"respondent = {{ column = {_quoted(_short(code, table.columns))} }}\n" if code else "",
        country=f"country = {{ column = {_quoted(_short(country, table.columns))} }}\n" if country else "",
    )
    parts = [head, *_questions(questions, table.columns)]
    parts += ["# Columns that are not read.\n"] if rest or private else []
    parts += [_comment("keep", name, table.columns) for name in rest]
    parts += [f"# looks private ({kind}): {shown(name)}\n" for name, kind in private.items()]
    return "\n".join(parts)


def _questions(names: Sequence[str], headers: Sequence[str]) -> Iterator[str]:
    chosen: list[str] = []
    for number, header in enumerate(names, start=1):
        plain = _plain(header).split("for example")[0]
        axis = next((axis for axis, pattern in _AXES.items() if re.search(pattern, plain)), "other")
        groups = [group for group, pattern in _IDENTITIES.items() if re.search(pattern, plain)]
        identity = groups[0] if len(groups) == 1 else None
        wanted = identity or axis
        name = wanted if wanted not in chosen else f"{wanted}-{number}"
        chosen.append(name)
        lines = [
            "[[question]]",
            f"column = {_quoted(_short(header, headers))}",
            f"name = {_quoted(name)}",
            f"axis = {_quoted(axis)}",
            *([f"identity = {_quoted(identity)}"] if identity else []),
        ]
        yield "\n".join(lines) + "\n"


def _comment(table: str, header: str, headers: Sequence[str]) -> str:
    name = re.sub(r"\W+", "_", _plain(header)).strip("_")[:20] or "column"
    return f"# [[{table}]]\n# column = {_quoted(_short(header, headers))}\n# name = {_quoted(name)}\n"


def _short(header: str | None, headers: Sequence[str]) -> str:
    """The fewest words of a header, from its first sentence on, that no other column begins with."""
    words = plain_words(header or "")
    others = [plain_header(other) for other in headers if other != header]
    first = next((k for k, word in enumerate(words, start=1) if word.endswith(("?", "."))), len(words))
    for count in range(first, len(words) + 1):
        start = plain_header(" ".join(words[:count]))
        if not any(other.startswith(start) or without_code(other).startswith(start) for other in others):
            return " ".join(words[:count])
    return " ".join(words)


def plain_words(header: str) -> list[str]:
    """Words of a header without its code."""
    words = header.split()
    cut = len(plain_header(header).split()) - len(_plain(header).split())
    return words[cut:]


def _plain(header: str) -> str:
    return without_code(plain_header(header))


def _is_question(header: str, cells: pl.Series) -> bool:
    """Whether a column holds answers in words: by their length, or by its header where they are short but varied."""
    filled = [cell.strip().casefold() for cell in cells.drop_nulls().to_list() if cell.strip()]
    words = sum(map(_words, filled)) / len(filled) if filled else 0.0
    plain = _plain(header)
    asks = bool(_STEREOTYPE_WORDS.search(plain)) or ("?" in plain and not _OF_RESPONDENT.search(plain))
    if all(_TIME.search(cell) for cell in filled):
        return False
    return words >= _WORDS or (
        asks and words >= _QUESTION_WORDS and len(set(filled)) >= _VARIED * len(filled)
    )


def _words(cell: str) -> int:
    """Words with a letter in them: dates and numbers have none."""
    return sum(any(map(str.isalpha, word)) for word in re.split(r"[\s,;/]+", cell))


def _quoted(text: str) -> str:
    """A TOML string; JSON's escapes are TOML's."""
    return json.dumps(text, ensure_ascii=False)
