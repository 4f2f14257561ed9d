"""The report of association tests."""
