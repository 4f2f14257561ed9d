"""Whether records with names are what they should be: strict, and apart from the rules that wrote them.

The rules here look at the finished text and at the original. They share word lists and the mending of slips with the
rules that wrote it, so that a word missing from a list is missed by both. They may refuse what is right English.
"""

from endoxa.instruments.questions.names.check.fields import Published, published
from endoxa.instruments.questions.names.check.files import Checked, check_file, check_record, problems

__all__ = ["Checked", "Published", "check_file", "check_record", "problems", "published"]
