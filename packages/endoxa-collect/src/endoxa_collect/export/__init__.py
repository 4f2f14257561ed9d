"""Exports: tables of declared columns, their data card, releases, and the way back into a campaign."""
