"""A data set for others: a folder for the Hugging Face hub, or a task of another evaluation harness."""

from endoxa import as_verb

as_verb(__name__)
