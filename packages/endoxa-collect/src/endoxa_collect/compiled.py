"""Queries whose SQL is built once in a process: building it was half of the work of an answer."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Field, QuerySet, Value

Row = TypeVar("Row")


class _Given(Value):
    """A place in a query that each run fills with a value of its own; `position` among the arguments."""

    def __init__(self, position: int, output_field: Field[Any, Any]) -> None:
        super().__init__(position, output_field=output_field)
        self._field = output_field

    def as_sql(self, _compiler: object, _connection: object) -> tuple[str, list[Any]]:  # type: ignore[override]
        """A placeholder, with this object as its parameter until a run puts the value there."""
        return "%s", [self]

    def taken_from(self, values: tuple[Any, ...]) -> Any:
        """The value for this place, as the database wants it."""
        return self._field.get_db_prep_value(values[self.value], connection)


def compiled(
    *fields: Field[Any, Any],
) -> Callable[[Callable[..., QuerySet[Any, Row]]], Callable[..., list[Row]]]:
    """A function that makes a query from values of these fields becomes one that gives its rows.

    It is called once in a process, with places in the values' stead: so it may only hand them on to filters, and
    what it does must not depend on them. None is no value for `=`.
    """

    def decorated(make: Callable[..., QuerySet[Any, Row]]) -> Callable[..., list[Row]]:
        kept: dict[str, tuple[QuerySet[Any, Row], Any, str, tuple[Any, ...]]] = {}

        @wraps(make)
        def rows(*values: Any) -> list[Row]:
            if (built := kept.get(connection.vendor)) is None:
                places = [_Given(position, field) for position, field in enumerate(fields)]
                queryset = make(*places)
                compiler = queryset.query.get_compiler(connection=connection)
                built = kept[connection.vendor] = (queryset, compiler, *compiler.as_sql())
            return list(_run(*built, values))

        return rows

    return decorated


def _run(
    queryset: QuerySet[Any, Row], compiler: Any, sql: str, params: tuple[Any, ...], values: tuple[Any, ...]
) -> QuerySet[Any, Row]:
    """The query with these values, not run yet; what was built stays as it is, since other threads use it too."""
    filled = tuple(value.taken_from(values) if isinstance(value, _Given) else value for value in params)
    again, run, compiler = copy(queryset.query), _unevaluated(queryset), copy(compiler)
    compiler.query, compiler.connection = again, connection
    compiler.as_sql = lambda *_, **__: (sql, filled)
    again.get_compiler = lambda *_, **__: compiler  # type: ignore[method-assign]
    run._query = again  # type: ignore[attr-defined]  # the property would have rows read as dictionaries
    return run


def _unevaluated(queryset: QuerySet[Any, Row]) -> QuerySet[Any, Row]:
    """Another set with the same way of reading rows (`copy` would run the query)."""
    fresh: QuerySet[Any, Row] = queryset.__class__.__new__(queryset.__class__)
    fresh.__dict__.update(queryset.__dict__)
    fresh._result_cache = None
    fresh._prefetch_done = False  # type: ignore[attr-defined]
    return fresh


def only(rows: list[Row]) -> Row | None:
    """The first row, None where there is none."""
    return rows[0] if rows else None
