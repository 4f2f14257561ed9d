"""From an answer to the option it names, in five outcomes that are kept apart."""

from endoxa.instruments.questions.answers.read import RULES, outcome, read_answer

__all__ = ["RULES", "outcome", "read_answer"]
