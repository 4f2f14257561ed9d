"""Batteries of common checks, one per kind of thing that plugs in: for our own tests and for other packages'.

`plugins.check_reader`, `plugins.check_rule` and others raise AssertionError with a sentence that names the thing and
what is wrong with it.
"""
