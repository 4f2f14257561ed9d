"""Which errors of a database are told in a sentence, and which are faults of ours."""

from __future__ import annotations

import sqlite3

import psycopg
import pytest
from django.db import DatabaseError, IntegrityError, OperationalError
from django.db.transaction import TransactionManagementError

from endoxa_collect.faults import refusal


@pytest.mark.parametrize(
    "ours",
    [
        TransactionManagementError("You can't execute queries until the end of the 'atomic' block."),
        DatabaseError("Save with update_fields did not affect any rows."),
        IntegrityError("UNIQUE constraint failed"),
        BrokenPipeError(),
        ValueError(),
    ],
)
def test_a_fault_of_ours_is_not_told_as_one_of_the_disk(ours):
    assert refusal(ours) is None


def sqlite(code):
    cause = sqlite3.OperationalError("told by SQLite")
    cause.sqlite_errorcode = code
    return cause


FULL = "the disk is full: make room and try again."


@pytest.mark.parametrize(
    ("problem", "cause", "told"),
    [
        (OperationalError("full"), sqlite(sqlite3.SQLITE_FULL), FULL),
        (OperationalError("disk I/O error"), sqlite(sqlite3.SQLITE_IOERR_SHMSIZE), FULL),
        (
            OperationalError("disk I/O error"),
            sqlite(sqlite3.SQLITE_IOERR_READ),
            "is the disk full or damaged",
        ),
        (
            OperationalError("could not extend file"),
            psycopg.errors.DiskFull(),
            "disk of the database server is full",
        ),
        (
            DatabaseError("malformed"),
            sqlite3.DatabaseError("malformed"),
            "not an endoxa database or is damaged",
        ),
        (OperationalError("no server"), None, "cannot be opened"),
    ],
)
def test_what_the_database_says_is_told(problem, cause, told):
    problem.__cause__ = cause
    assert told in refusal(problem)
