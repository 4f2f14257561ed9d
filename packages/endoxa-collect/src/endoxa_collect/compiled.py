"""Queries whose SQL is built once in a process: building it was half of the work of an answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from operator import itemgetter
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, QuerySet, Value
from django.db.models.query import (
    FlatValuesListIterable,
    ModelIterable,
    ValuesListIterable,
    get_related_populators,
)

Row = TypeVar("Row")


class _Given(Value):
    """A place in a query that each run fills with a value of its own; `position` among the arguments."""

    def __init__(self, position: int, output_field: Field[Any, Any]) -> None:
        super().__init__(position, output_field=output_field)
        self._field = output_field

    def as_sql(self, _compiler: object, _connection: object) -> tuple[str, list[Any]]:  # type: ignore[override]
        """A placeholder, with this object as its parameter until a run puts the value there."""
        return "%s", [self]

    def taken_from(self, values: tuple[Any, ...], database: BaseDatabaseWrapper) -> Any:
        """The value for this place, as the database wants it."""
        return self._field.get_db_prep_value(values[self.value], database)


class _Query:
    """The SQL of a query of models, of `values_list` or of one column, and how Django reads its rows.

    Nothing of it changes between runs, since threads share it.
    """

    def __init__(self, queryset: QuerySet[Any, Any]) -> None:
        compiler = queryset.query.get_compiler(connection=connection)
        self._sql, self._params = compiler.as_sql()
        columns = [column for column, *_ in compiler.select[: compiler.col_count]]
        self._converters = [
            (position, convert, column)
            for position, (converters, column) in compiler.get_converters(columns).items()
            for convert in converters
        ]
        readers: dict[Any, Callable[[Any], Callable[[list[Any]], Any]]] = {
            ModelIterable: _models,
            FlatValuesListIterable: lambda _: itemgetter(0),
            ValuesListIterable: lambda _: tuple,
        }
        self._read = readers[queryset._iterable_class](compiler)

    def run(self, values: tuple[Any, ...]) -> list[Any]:
        """The rows with these values."""
        database = connections[DEFAULT_DB_ALIAS]
        params = [
            value.taken_from(values, database) if isinstance(value, _Given) else value
            for value in self._params
        ]
        with database.cursor() as cursor:
            cursor.execute(self._sql, params)
            rows = cursor.fetchall()
        return [self._read(self._converted(row, database)) for row in rows]

    def _converted(self, row: Sequence[Any], database: BaseDatabaseWrapper) -> list[Any]:
        columns = list(row)
        for position, convert, column in self._converters:
            columns[position] = convert(columns[position], column, database)
        return columns


def _models(compiler: Any) -> Callable[[list[Any]], Any]:
    """What `ModelIterable` does with each row, with all looked up that is the same for each."""
    model, places = compiler.klass_info["model"], compiler.klass_info["select_fields"]
    columns = slice(places[0], places[-1] + 1)
    names = [column.target.attname for column, *_ in compiler.select[columns]]
    related = get_related_populators(  # type: ignore[call-arg]  # stubs of a later Django
        compiler.klass_info, compiler.select, DEFAULT_DB_ALIAS
    )

    def read(row: list[Any]) -> Any:
        instance = model.from_db(DEFAULT_DB_ALIAS, names, row[columns])
        for populator in related:
            populator.populate(row, instance)
        return instance

    return read


def compiled(
    *fields: Field[Any, Any],
) -> Callable[[Callable[..., QuerySet[Any, Row]]], Callable[..., list[Row]]]:
    """A function that makes a query from values of these fields becomes one that gives its rows.

    It is called once in a process, with places in the values' stead: so it may only hand them on to filters, and
    what it does must not depend on them. None is no value for `=`.
    """

    def decorated(make: Callable[..., QuerySet[Any, Row]]) -> Callable[..., list[Row]]:
        kept: dict[str, _Query] = {}

        @wraps(make)
        def rows(*values: Any) -> list[Row]:
            if (query := kept.get(connection.vendor)) is None:
                places = [_Given(position, field) for position, field in enumerate(fields)]
                query = kept[connection.vendor] = _Query(make(*places))
            return query.run(values)

        return rows

    return decorated


def only(rows: list[Row]) -> Row | None:
    """The first row, None where there is none."""
    return rows[0] if rows else None
