"""endoxa's own words by language, and whether native speakers have looked at them.

A **component** is a set of texts with one purpose (prompts of stories, page texts); it has texts in some languages. Its
state in a language is computed from the texts as they are now and from `reviews.toml`, never typed.
"""
