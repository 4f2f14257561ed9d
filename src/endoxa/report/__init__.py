"""The room where estimates become something to read: one HTML page, tables for papers, figures."""

from __future__ import annotations

from endoxa.report.write import FORMATS, write_report

__all__ = ["FORMATS", "write_report"]
