"""From one statement to pairs of identity and attribute."""

from endoxa.curate.extract.cascade import begins_statement, extract
from endoxa.curate.extract.types import Extraction, Question

__all__ = ["Extraction", "Question", "begins_statement", "extract"]
