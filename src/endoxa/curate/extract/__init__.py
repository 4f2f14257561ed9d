"""From one statement to pairs of identity and attribute."""

from endoxa.curate.extract.cascade import Extraction, Question, begins_statement, extract

__all__ = ["Extraction", "Question", "begins_statement", "extract"]
