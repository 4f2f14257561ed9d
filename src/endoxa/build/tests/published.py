"""The published SEAT files (May et al. 2019, https://github.com/W4ngatang/sent-bias, and bias-bench).

A test is `{"targ1": SET, "targ2": SET, "attr1": SET, "attr2": SET}` with SET = `{"category": name, "examples": [...]}`.
One test in a file takes the file's name; several are an object of name -> test, or one test per line.
"""

from __future__ import annotations

from typing import Any

from endoxa.build.tests.sets import Place, make_set, require_test
from endoxa.schema import AssociationTest, TermSet

_KEYS = ("targ1", "targ2", "attr1", "attr2")


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
            f"{stem}-{number}" if len(content) > 1 else stem: one for number, one in enumerate(content, 1)
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


def _set(found: object, where: Place, key: str) -> TermSet:
    if not isinstance(found, dict) or "examples" not in found:
        raise where.problem("it is missing: expected an object with category and examples")
    return make_set(found.get("category", key), found["examples"], where, collapse=True)
