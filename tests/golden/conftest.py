"""The option that rewrites what is expected."""

from __future__ import annotations


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="Rewrite tests/golden/expected instead of comparing with it.",
    )
