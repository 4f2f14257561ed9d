"""Batteries of common checks, one per kind of thing that plugs in: for our own tests and for other packages'.

`readers.check_reader`, `scorers` and `statistics.check_statistic` raise AssertionError with a sentence that
names the thing and what is wrong with it.
"""
