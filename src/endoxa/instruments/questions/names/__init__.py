"""First names in the place of groups: the same question, asked of people instead of nationalities."""

from endoxa.instruments.questions.names.bank import NameBank, read_bank
from endoxa.instruments.questions.names.build import NameVariants, build_names, sub_seeds
from endoxa.instruments.questions.names.check import problems

__all__ = ["NameBank", "NameVariants", "build_names", "problems", "read_bank", "sub_seeds"]
