"""Definitions of association tests on disk: our JSON, the published SEAT files, and their validation.

Ours is `{"format": "endoxa-association-tests", "version": 1, "tests": [...]}`, where a test has `name`, `axis`,
`language`, `source` and the sets `x`, `y`, `a`, `b`, each `{"name", "texts", "terms"}` (see `endoxa.schema`).

The published files (May et al. 2019, https://github.com/W4ngatang/sent-bias, and bias-bench) have tests `{"targ1":
SET, "targ2": SET, "attr1": SET, "attr2": SET}` with SET = `{"category": name, "examples": [...]}`. A single test in a
file takes the file's name; several are an object of name -> test, or one test per line.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.schema import AssociationTest, TermSet
from endoxa.schema.provenance import PROVENANCE_COLUMNS
from endoxa.sources.dialects import open_text, undecodable
from endoxa.sources.files import require_file
from endoxa.sources.identities import identity_key
from endoxa.sources.write import replacing

FEWEST_TEXTS = 2
"""Different texts in a target set."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something stands, for the sentence of an error."""

    path: Path
    part: str = ""

    def inside(self, part: str) -> Place:
        """A part of this place."""
        return Place(self.path, f"{self.part}, {part}" if self.part else part)

    def problem(self, sentence: str) -> UserError:
        """The error to raise."""
        return UserError(f"{self.path}{f', {self.part}' if self.part else ''}: {sentence}.")


def make_set(
    name: object,
    texts: object,
    where: Place,
    *,
    terms: object = (),
    collapse: bool = False,
    fewest: int = FEWEST_TEXTS,
) -> TermSet:
    """A set from what a file holds.

    Args:
        name: what the set stands for.
        texts: the list of texts.
        where: for messages.
        terms: the term behind each text, or nothing.
        collapse: keep the first of equal texts instead of refusing them, as the published code does, which
            keeps vectors under their text.
        fewest: different texts that it must hold.

    Raises:
        UserError: not text, empty, too few, or a text twice.
    """
    if not isinstance(name, str):
        raise where.problem("its name is not text")
    kept = _texts(texts, where)
    behind = _texts(terms, where, allow_none=True)
    if behind and len(behind) != len(kept):
        raise where.problem(
            f"it has {len(kept)} texts but {len(behind)} terms: expected one for each, or none"
        )
    text, times = Counter(kept).most_common(1)[0] if kept else ("", 0)
    if times > 1 and not collapse:
        raise where.problem(f"'{text}' appears {times} times in one set: keep it once")
    if len(set(kept)) < fewest:
        raise where.problem(f"it holds {len(set(kept))} texts: expected at least {fewest}, all different")
    if times > 1:
        kept = list(dict.fromkeys(kept))
    return TermSet(name, tuple(kept), tuple(behind))


def _texts(content: object, where: Place, *, allow_none: bool = False) -> list[str]:
    if not isinstance(content, list | tuple):
        raise where.problem(f"found {type(content).__name__}, expected a list of texts")
    for number, text in enumerate(content, 1):
        if not isinstance(text, str):
            raise where.problem(f"text {number} is {text!r}: expected text in quotation marks")
        if not text.strip() and not allow_none:
            raise where.problem(f"text {number} is empty")
        if undecodable(text):
            raise where.problem(
                f"text {number} contains an invalid character (a lone surrogate): type it again"
            )
    return list(content)


def require_test(test: AssociationTest, where: Place) -> AssociationTest:
    """The test itself, where its two targets and its two attributes are different sets.

    Raises:
        UserError: X is Y, or A is B, so that there is nothing to compare.
    """
    if undecodable(test.name + test.axis + test.language + test.source):
        raise where.problem(
            "one of its texts contains an invalid character (a lone surrogate): type it again"
        )
    for first, second, letters in ((test.x, test.y, "X and Y"), (test.a, test.b, "A and B")):
        if set(first.texts) == set(second.texts):
            raise where.problem(f"{letters} are the same set: expected different sets")
    return test


_KEYS = ("targ1", "targ2", "attr1", "attr2")


def texts_of(test: AssociationTest) -> Iterator[str]:
    """Every text of the four sets of a test."""
    for terms in (test.x, test.y, test.a, test.b):
        yield from terms.texts


def distinct_texts(tests: Sequence[AssociationTest]) -> list[str]:
    """Every text of all tests once, in the order in which they first stand there."""
    return list(dict.fromkeys(text for test in tests for text in texts_of(test)))


def shared_words(tests: Iterable[AssociationTest]) -> list[str]:
    """A sentence for each test with a text in both target sets or in both attribute sets.

    The sets are meant to be apart (Caliskan et al. 2017): what is in both is on neither side and draws the effect
    towards 0.
    """
    sentences = []
    for test in tests:
        for first, second, kind in ((test.x, test.y, "target"), (test.a, test.b, "attribute")):
            first_texts = {identity_key(text) for text in first.texts}
            shared = [text for text in second.texts if identity_key(text) in first_texts]
            if shared:
                sentences.append(
                    f"Test '{test.name}': {', '.join(map(repr, shared))} in both {kind} sets "
                    f"({first.name}, {second.name}), which draws its effect towards 0. Remove it from one of them."
                )
    return sentences


def is_published(content: object) -> bool:
    """Whether any test of the file has a key of the published form."""
    if isinstance(content, dict):
        return _has_key(content) or any(_has_key(test) for test in content.values())
    return isinstance(content, list) and any(_has_key(test) for test in content)


def _has_key(test: object) -> bool:
    return isinstance(test, dict) and any(key in test for key in _KEYS)


def published_tests(content: Any, where: Place) -> list[AssociationTest]:
    """The tests of a published file, in its order; equal texts of a set are one, as in the published code.

    Raises:
        UserError: a set is missing or unusable.
    """
    stem = where.path.stem
    if isinstance(content, list):
        named = {
            f"{stem}-{number}" if len(content) > 1 else stem: entry for number, entry in enumerate(content, 1)
        }
    else:
        named = {stem: content} if _has_key(content) else content
    return [_test(name, test, Place(where.path, f"test '{name}'")) for name, test in named.items()]


def _test(name: str, test: object, where: Place) -> AssociationTest:
    if not isinstance(test, dict):
        raise where.problem(f"found {type(test).__name__}, expected an object with {', '.join(_KEYS)}")
    if not name.strip():
        raise where.problem("its name is empty")
    x, y, a, b = (_set(test.get(key), where.inside(key), key) for key in _KEYS)
    source = f"published file {where.path.name}"
    return require_test(AssociationTest(name, x, y, a, b, source=source), where)


def _set(content: object, where: Place, key: str) -> TermSet:
    if not isinstance(content, dict) or "examples" not in content:
        raise where.problem("it is missing: expected an object with category and examples")
    return make_set(content.get("category", key), content["examples"], where, collapse=True)


FORMAT = "endoxa-association-tests"
VERSION = 1
_SETS = ("x", "y", "a", "b")
_WORDS = ("axis", "language", "source", "association_id", *PROVENANCE_COLUMNS)
_MAY_LACK = ("association_id", *PROVENANCE_COLUMNS)


def read_tests(path: Path) -> list[AssociationTest]:
    """Every association test of a file, in its order.

    Raises:
        UserError: the file is not UTF-8 JSON of a known form, or a test in it is not usable.
    """
    require_file(path)
    content = _content(path)
    where = Place(path)
    if isinstance(content, dict) and "format" in content:
        tests = _format_tests(content, where)
    elif is_published(content):
        tests = published_tests(content, where)
    else:
        raise where.problem(
            "it contains no association tests: expected a file of `endoxa build tests`, or a published one with "
            "'targ1', 'targ2', 'attr1' and 'attr2'"
        )
    if not tests:
        raise where.problem("it contains no test: expected at least one")
    name, times = Counter(test.name for test in tests).most_common(1)[0]
    if times > 1:
        raise where.problem(f"{times} tests have the name '{name}': make names unique")
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
        raise UserError(f"--out: '{path}' has an unknown file type. Expected a file that ends in .json.")


def _plain(test: AssociationTest) -> dict[str, Any]:
    sets = {key: _plain_set(getattr(test, key)) for key in _SETS}
    words = {word: getattr(test, word) for word in _WORDS if word not in _MAY_LACK or getattr(test, word)}
    return {"name": test.name, **words, **sets}


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
        raise UserError(f"{path} contains only white space. Write or download it again.")
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
    values = []
    for number, row in enumerate(text.splitlines(), 1):
        try:
            if row.strip():
                values.append(_parsed(row, path))
        except json.JSONDecodeError as error:
            raise _not_json(path, number, error) from error
    return values


def _not_json(path: Path, line: int, error: json.JSONDecodeError) -> UserError:
    return UserError(
        f"{path}, line {line}: not valid JSON ({error.msg}). Correct the line, or write the file with `endoxa build "
        "tests`."
    )


def _parsed(text: str, path: Path) -> object:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        name, times = Counter(key for key, _ in pairs).most_common(1)[0] if pairs else ("", 0)
        if times > 1:
            raise UserError(f"{path}: '{name}' appears {times} times in one object. Rename or remove one.")
        return dict(pairs)

    try:
        content: object = json.loads(text, object_pairs_hook=unique)
    except RecursionError as error:
        raise UserError(f"{path} is nested too deeply to be a file of association tests.") from error
    return content


def _format_tests(content: dict[str, Any], where: Place) -> list[AssociationTest]:
    if content["format"] != FORMAT:
        raise where.problem(f"its format is {content['format']!r}: expected '{FORMAT}'")
    if content.get("version") != VERSION:
        raise where.problem(f"its version is {content.get('version')!r}: this endoxa reads version {VERSION}")
    tests = content.get("tests")
    if not isinstance(tests, list):
        raise where.problem("it has no list under 'tests'")
    return [_format_test(test, where.inside(f"test {number}")) for number, test in enumerate(tests, 1)]


def _format_test(test: object, where: Place) -> AssociationTest:
    if not isinstance(test, dict):
        raise where.problem(f"found {type(test).__name__}, expected an object with name, x, y, a and b")
    name = test.get("name")
    if not isinstance(name, str) or not name.strip():
        raise where.problem("it has no name: expected text under 'name'")
    named = Place(where.path, f"test '{name}'")
    unknown = [key for key in test if key not in ("name", *_WORDS, *_SETS)]
    if unknown:
        raise named.problem(f"'{unknown[0]}' is unknown; expected name, {', '.join((*_WORDS, *_SETS))}")
    for word in _WORDS:
        if not isinstance(test.get(word, ""), str):
            raise named.problem(f"'{word}' is not text")
    # An association has one attribute and its opposite, so that its sets A and B may hold one text each.
    fewest = dict.fromkeys("xy", FEWEST_TEXTS) | dict.fromkeys(
        "ab", 1 if test.get("association_id") else FEWEST_TEXTS
    )
    x, y, a, b = (_format_set(test.get(key), named.inside(f"set {key}"), fewest[key]) for key in _SETS)
    words = {word: test.get(word, "") for word in _WORDS}
    return require_test(AssociationTest(name, x, y, a, b, **words), named)


def _format_set(content: object, where: Place, fewest: int) -> TermSet:
    if not isinstance(content, dict) or "texts" not in content:
        raise where.problem("it is missing: expected an object with name and texts")
    return make_set(
        content.get("name", ""), content["texts"], where, terms=content.get("terms", []), fewest=fewest
    )
