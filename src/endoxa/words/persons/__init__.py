"""Whether words may name a private person: what people type is put before a moderator, built pairs get a remark.

A guess by form. A name is looked for where scripts have capitals (two capitalised words in a row), after a title, or
beside a word of offence ("stole", `offence.toml`): there one capitalised word counts, or a first name in small letters
(`first_names.toml`, `faker.toml`). First names that are ordinary words or towns too ("rosa", "hope", "santiago") count
where the offence is said of them. One name alone is not found; countries and their people are left alone.
"""

from endoxa.words.persons.naming import NotAPerson, names_somebody

__all__ = ["NotAPerson", "names_somebody"]
