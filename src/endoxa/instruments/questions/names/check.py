"""Which records of a file with names a person should read: those that are not what the rules write with their names.

A file as `endoxa build qa --names` wrote it has none. One that was edited by hand, or was written from other
questions, with another bank or by other rules, has some. The rules themselves are not checked: read a sample of what
they write.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from endoxa.instruments.questions.names.bank import NameBank
from endoxa.instruments.questions.names.build import written
from endoxa.instruments.questions.names.phrases import UnwritableError
from endoxa.instruments.questions.names.rewrite import Prepared, prepare
from endoxa.instruments.questions.names.text import Row, bundles, group_words
from endoxa.schema.provenance import PROVENANCE_COLUMNS

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in a file.

    Attributes:
        records: how many were looked at.
        problems: each with its line, or with its variant.
        absent: originals that are in no variant: left out when the file was made, or lost.
    """

    records: int
    problems: tuple[str, ...]
    absent: int


def check_file(records: Iterable[tuple[int, Row]], originals: Iterable[Row], bank: NameBank) -> Checked:
    """Compare every record of a file with what the rules write with its names.

    Records about the same people must have the same names in a variant, and each variant the same records.

    Args:
        records: line number and record with names.
        originals: the published records, in their order.
        bank: where the names came from.
    """
    words = group_words(bank)
    before: dict[Key, tuple[int, Prepared | UnwritableError]] = {}
    for number, rows in enumerate(bundles(originals)):
        try:
            prepared: Prepared | UnwritableError = prepare(rows, words)
        except UnwritableError as problem:
            prepared = problem
        before |= {_key(row): (number, prepared) for row in rows}
    problems: list[str] = []
    variants: dict[str, set[Key]] = {}
    first: dict[tuple[str, int], tuple[int, object]] = {}
    count = 0
    for line, record in records:
        count += 1
        key, variant = _key(record), str(record.get("variant", ""))
        variants.setdefault(variant, set()).add(key)
        if key not in before:
            problems.append(f"line {line}: the original has no record {' '.join(key)}")
            continue
        people, original = before[key]
        problems += [f"line {line}: {problem}" for problem in _problems(record, original, bank)]
        at, names = first.setdefault((variant, people), (line, record.get("names")))
        if names != record.get("names"):
            problems.append(f"line {line}: names: others than in line {at}, which is about the same people")
    everywhere: set[Key] = set().union(*variants.values())
    problems += [
        f"variant {variant} lacks {len(everywhere - there)} records of the others"
        for variant, there in variants.items()
        if everywhere - there
    ]
    return Checked(count, tuple(problems), len(before.keys() - everywhere))


def _key(row: Row) -> Key:
    return str(row["category"]), str(row["example_id"])


def _problems(record: Row, original: Prepared | UnwritableError, bank: NameBank) -> Iterator[str]:
    """What is wrong with the names of a record, and every field that is not as the rules write it with these names."""
    if isinstance(original, UnwritableError):
        yield f"the original cannot be written with names: {original}"
        return
    names, variant = record.get("names"), record.get("variant")
    if not isinstance(names, dict) or names.keys() != original.genders.keys():
        yield f"names: {names!r}, expected a name for each of {', '.join(original.genders)}"
        return
    for group, name in names.items():
        gender = original.genders[group]
        if name not in {entry.name for entry in bank.names(group, gender)}:
            yield f"names: '{name}' is no {gender or ''} name of '{group}' in the bank".replace("  ", " ")
    if len({str(name).casefold() for name in names.values()}) < len(names):
        yield f"names: one name for two people: {names!r}"
    if not isinstance(variant, str) or not variant:
        yield "variant: empty"
    expected = next(row for row in written(original, names, str(variant)) if _key(row) == _key(record))
    for field in sorted((expected.keys() | record.keys()) - PROVENANCE_COLUMNS.keys() - {"names", "variant"}):
        if field not in record:
            yield f"{field}: missing"
        elif field not in expected:
            yield f"{field}: a field that the original does not have"
        elif record[field] != expected[field]:
            yield f"{field}: {record[field]!r}, the rules write {expected[field]!r}"
