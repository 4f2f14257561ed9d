"""Definitions of association tests on disk: our JSON, the published SEAT files, and their validation.

Ours is `{"format": "endoxa-association-tests", "version": 1, "tests": [...]}`, where a test has `name`, `axis`,
`language`, `source` and the sets `x`, `y`, `a`, `b`, each `{"name", "texts", "terms"}` (see `endoxa.schema`).

The published files (May et al. 2019, https://github.com/W4ngatang/sent-bias, and bias-bench) have tests `{"targ1":
SET, "targ2": SET, "attr1": SET, "attr2": SET}` with SET = `{"category": name, "examples": [...]}`. A single test in a
file takes the file's name; several are an object of name -> test.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.schema import AssociationTest, TermSet
from endoxa.sources.dialects import open_text, undecodable
from endoxa.sources.files import replacing, require_file
from endoxa.sources.identities import identity_key
from endoxa.sources.toml import validated

FORMAT = "endoxa-association-tests"
VERSION = 1
FEWEST_TEXTS = 2
"""Different texts in a target set."""
_PUBLISHED = {"targ1": "x", "targ2": "y", "attr1": "a", "attr2": "b"}
"""Keys of the published files, and ours."""
_SETS = tuple(_PUBLISHED.values())


def read_tests(path: Path) -> list[AssociationTest]:
    """Every association test of a file, in its order.

    Raises:
        UserError: the file is not UTF-8 JSON of a known form, or a test in it is not usable.
    """
    require_file(path)
    content = _content(path)
    if isinstance(content, dict) and "format" in content:
        tests = [
            _test(entry, path, f"test {number}") for number, entry in enumerate(_listed(content, path), 1)
        ]
    elif isinstance(content, dict):
        tests = list(_published_tests(content, path))
    else:
        tests = []
    if not tests:
        raise UserError(
            f"{path}: it contains no association tests: expected a file of `endoxa build tests`, or a published one "
            "with 'targ1', 'targ2', 'attr1' and 'attr2'."
        )
    name, times = Counter(test.name for test in tests).most_common(1)[0]
    if times > 1:
        raise UserError(f"{path}: {times} tests have the name '{name}': make names unique.")
    return tests


def _listed(content: Mapping[str, Any], path: Path) -> list[Any]:
    """The tests of a file of ours, as they were written."""
    expected = {"format": FORMAT, "version": VERSION}
    for key, value in expected.items():
        if content.get(key) != value:
            raise UserError(f"{path}: its {key} is {content.get(key)!r}: this endoxa reads {value!r}.")
    tests = content.get("tests")
    if not isinstance(tests, list):
        raise UserError(f"{path}: it has no list under 'tests'.")
    return tests


def _published_tests(content: dict[str, Any], path: Path) -> Iterator[AssociationTest]:
    """The tests of a published file; equal texts of a set are one, as in its code, which keeps vectors by text.

    Nothing where no test of the file has a key of the published form.
    """
    tests = {path.stem: content} if _PUBLISHED.keys() & content.keys() else content
    if not any(isinstance(test, dict) and _PUBLISHED.keys() & test.keys() for test in tests.values()):
        return
    for name, test in tests.items():
        place = f"test '{name}'"
        if not isinstance(test, dict):
            raise UserError(
                f"{path}, {place}: found {type(test).__name__}, expected an object with {', '.join(_PUBLISHED)}."
            )
        sets = {}
        for key, letter in _PUBLISHED.items():
            terms = test.get(key)
            if not isinstance(terms, dict) or "examples" not in terms:
                raise UserError(
                    f"{path}, {place}, {key}: it is missing: expected an object with category and examples."
                )
            sets[letter] = {"name": terms.get("category", key), "texts": terms["examples"]}
        yield _test(
            {"name": name, "source": f"published file {path.name}", **sets}, path, place, distinct=True
        )


def _test(entry: object, path: Path, place: str, *, distinct: bool = False) -> AssociationTest:
    """One test, where all of it is usable.

    Args:
        entry: its fields as in a file of ours.
        path: the file.
        place: where it stands there, as long as its name is not known.
        distinct: keep the first of equal texts instead of refusing them.

    Raises:
        UserError: a field is missing or unknown, a set is too small or repeats a text, or X is Y.
    """
    expected = f"Expected name, {', '.join(_SETS)} with name and texts."
    test = validated(AssociationTest, entry, f"{path}, {place}", expected)
    if not test.name.strip():
        raise UserError(f"{path}, {place}: it has no name: expected text under 'name'.")
    where = f"{path}, test '{test.name}'"
    if undecodable("".join([test.name, test.axis, test.language, test.source, *texts_of(test)])):
        raise UserError(f"{where}: a text contains an invalid character (a lone surrogate): type it again.")
    if distinct:
        sets = {letter: getattr(test, letter) for letter in _SETS}
        alone = {
            letter: replace(terms, texts=tuple(dict.fromkeys(terms.texts))) for letter, terms in sets.items()
        }
        test = replace(test, **alone)
    for letter in _SETS:
        # An association has one attribute and its opposite, so that its sets A and B may hold one text each.
        fewest = 1 if test.association_id and letter in "ab" else FEWEST_TEXTS
        if fault := _fault(getattr(test, letter), fewest):
            raise UserError(f"{where}, set {letter}: {fault}.")
    for first, second, letters in ((test.x, test.y, "X and Y"), (test.a, test.b, "A and B")):
        if set(first.texts) == set(second.texts):
            raise UserError(f"{where}: {letters} are the same set: expected different sets.")
    return test


def _fault(terms: TermSet, fewest: int) -> str:
    """Why a set cannot be used, or nothing."""
    if terms.terms and len(terms.terms) != len(terms.texts):
        return f"it has {len(terms.texts)} texts but {len(terms.terms)} terms: expected one for each, or none"
    for number, text in enumerate(terms.texts, 1):
        if not text.strip():
            return f"text {number} is empty"
    text, times = Counter(terms.texts).most_common(1)[0] if terms.texts else ("", 0)
    if times > 1:
        return f"'{text}' appears {times} times in one set: keep it once"
    if len(terms.texts) < fewest:
        return f"it holds {len(terms.texts)} texts: expected at least {fewest}, all different"
    return ""


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


def write_tests(tests: Sequence[AssociationTest], path: Path) -> None:
    """Write tests in our format, never half a file; folders are made.

    Raises:
        UserError: a name that does not end in .json, or a place that cannot be written.
    """
    require_tests_name(path)
    content = {"format": FORMAT, "version": VERSION, "tests": list(map(_written, tests))}
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


def _written(test: AssociationTest) -> dict[str, Any]:
    """A test as the file has it: words before sets, and of what may be missing only what is there."""
    fields = asdict(test)
    sets = {
        letter: {key: cell for key, cell in fields.pop(letter).items() if cell or key != "terms"}
        for letter in _SETS
    }
    always = ("name", "axis", "language", "source")
    return {key: cell for key, cell in fields.items() if cell or key in always} | sets


def _content(path: Path) -> object:
    """The JSON value of the file; published files end in .jsonl and hold one object over many lines."""
    with open_text(path, newline="") as stream:
        text = stream.read()
    if not text.strip():
        raise UserError(f"{path} contains only white space. Write or download it again.")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        name, times = Counter(key for key, _ in pairs).most_common(1)[0] if pairs else ("", 0)
        if times > 1:
            raise UserError(f"{path}: '{name}' appears {times} times in one object. Rename or remove one.")
        return dict(pairs)

    try:
        text.encode()
        content: object = json.loads(text, object_pairs_hook=unique)
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise UserError(f"{path}, line {line}: it is not UTF-8 text; save it as UTF-8.") from error
    except json.JSONDecodeError as error:
        raise UserError(
            f"{path}, line {error.lineno}: not valid JSON ({error.msg}). Correct the line, or write the file with "
            "`endoxa build tests`."
        ) from error
    except RecursionError as error:
        raise UserError(f"{path} is nested too deeply to be a file of association tests.") from error
    return content
