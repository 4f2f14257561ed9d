"""Numbers from numbers: intervals, exact tests, corrections, verdicts and power. Knows arrays, not data sets."""
