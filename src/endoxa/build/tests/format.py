"""Definitions of association tests on disk: our JSON, and the published SEAT files as they are.

Ours is `{"format": "endoxa-association-tests", "version": 1, "tests": [...]}`, where a test has `name`, `axis`,
`language`, `source` and the sets `x`, `y`, `a`, `b`, each `{"name", "texts", "terms"}` (see `endoxa.schema`). How
the published files look: `endoxa.build.tests.published`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from endoxa.build.tests.published import is_published, published_tests
from endoxa.build.tests.sets import Place, make_set, require_test
from endoxa.datasets.files import open_text, require_file
from endoxa.datasets.write import replacing
from endoxa.errors import UserError
from endoxa.schema import AssociationTest, TermSet

FORMAT = "endoxa-association-tests"
VERSION = 1
_SETS = ("x", "y", "a", "b")
_WORDS = ("axis", "language", "source")


def read_tests(path: Path) -> list[AssociationTest]:
    """Every association test of a file, in its order.

    Raises:
        UserError: the file is not UTF-8 JSON of a known form, or a test in it is not usable.
    """
    require_file(path)
    content = _content(path)
    where = Place(path)
    if isinstance(content, dict) and "format" in content:
        tests = _own_tests(content, where)
    elif is_published(content):
        tests = published_tests(content, where)
    else:
        raise where.problem(
            "it holds no association tests: expected a file of `endoxa build tests`, or a published one with "
            "'targ1', 'targ2', 'attr1' and 'attr2'"
        )
    if not tests:
        raise where.problem("it holds no test: expected at least one")
    name, times = Counter(test.name for test in tests).most_common(1)[0]
    if times > 1:
        raise where.problem(f"{times} tests are called '{name}': give each its own name")
    return tests


def write_tests(tests: Sequence[AssociationTest], path: Path) -> None:
    """Write tests in our format, never half a file; folders are made.

    Raises:
        UserError: a name that does not end in .json, or a place that cannot be written.
    """
    require_tests_name(path)
    content = {"format": FORMAT, "version": VERSION, "tests": [_plain(test) for test in tests]}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as draft:
            draft.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as problem:
        raise UserError(f"'{path}' cannot be written: {problem.strerror or problem}.") from problem


def require_tests_name(path: Path) -> None:
    """Raise UserError where `write_tests` could not write under that name."""
    if path.suffix.lower() != ".json":
        raise UserError(f"'{path}' cannot be written: the name of a file of tests must end in .json.")


def _plain(test: AssociationTest) -> dict[str, Any]:
    sets = {key: _plain_set(getattr(test, key)) for key in _SETS}
    return {"name": test.name, **{word: getattr(test, word) for word in _WORDS}, **sets}


def _plain_set(terms: TermSet) -> dict[str, Any]:
    plain: dict[str, Any] = {"name": terms.name, "texts": list(terms.texts)}
    return plain | ({"terms": list(terms.terms)} if terms.terms else {})


def _content(path: Path) -> object:
    """The JSON value of the file; a list of values for JSON Lines.

    The published `.jsonl` files hold one object over many lines, so that is tried first.
    """
    with open_text(path, newline="") as stream:
        text = stream.read()
    if not text.strip():
        raise UserError(f"{path} holds nothing but white space: write or download it again.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise UserError(f"{path}, line {line}: it is not UTF-8 text; save it as UTF-8.") from error
    try:
        return _parsed(text, path)
    except json.JSONDecodeError as error:
        if path.suffix.lower() != ".jsonl":
            raise _not_json(path, error.lineno, error) from error
    found = []
    for number, row in enumerate(text.splitlines(), 1):
        try:
            if row.strip():
                found.append(_parsed(row, path))
        except json.JSONDecodeError as error:
            raise _not_json(path, number, error) from error
    return found


def _not_json(path: Path, line: int, error: json.JSONDecodeError) -> UserError:
    return UserError(
        f"{path}, line {line}: it is not JSON ({error.msg}); write it with `endoxa build tests`, or mend the line."
    )


def _parsed(text: str, path: Path) -> object:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        name, times = Counter(key for key, _ in pairs).most_common(1)[0] if pairs else ("", 0)
        if times > 1:
            raise UserError(f"{path}: '{name}' stands {times} times in one object: rename or remove one.")
        return dict(pairs)

    try:
        content: object = json.loads(text, object_pairs_hook=unique)
    except RecursionError as error:
        raise UserError(f"{path} is nested too deeply to be a file of association tests.") from error
    return content


def _own_tests(content: dict[str, Any], where: Place) -> list[AssociationTest]:
    if content["format"] != FORMAT:
        raise where.problem(f"its format is {content['format']!r}: expected '{FORMAT}'")
    if content.get("version") != VERSION:
        raise where.problem(f"its version is {content.get('version')!r}: this endoxa reads version {VERSION}")
    tests = content.get("tests")
    if not isinstance(tests, list):
        raise where.problem("it has no list under 'tests'")
    return [_own_test(test, where.inside(f"test {number}")) for number, test in enumerate(tests, 1)]


def _own_test(test: object, where: Place) -> AssociationTest:
    if not isinstance(test, dict):
        raise where.problem(f"found {type(test).__name__}, expected an object with name, x, y, a and b")
    name = test.get("name")
    if not isinstance(name, str) or not name.strip():
        raise where.problem("it has no name: expected text under 'name'")
    named = Place(where.path, f"test '{name}'")
    unknown = [key for key in test if key not in ("name", *_WORDS, *_SETS)]
    if unknown:
        raise named.problem(
            f"'{unknown[0]}' is not known; a test has name, axis, language, source, x, y, a, b"
        )
    for word in _WORDS:
        if not isinstance(test.get(word, ""), str):
            raise named.problem(f"'{word}' is not text")
    x, y, a, b = (_own_set(test.get(key), named.inside(f"set {key}")) for key in _SETS)
    axis, language, source = (test.get(word, "") for word in _WORDS)
    return require_test(AssociationTest(name, x, y, a, b, axis, language, source), named)


def _own_set(found: object, where: Place) -> TermSet:
    if not isinstance(found, dict) or "texts" not in found:
        raise where.problem("it is missing: expected an object with name and texts")
    return make_set(found.get("name", ""), found["texts"], where, terms=found.get("terms", []))
