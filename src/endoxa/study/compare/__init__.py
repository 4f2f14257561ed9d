"""Comparisons: runs, and editions of the data behind them, side by side."""
