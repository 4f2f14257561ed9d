"""Drafts by language models, for people to judge: tuples, sentences, pairs, counter-narratives, translations, labels.

A draft says where it comes from and is never taken for what people said. Its status is 'draft' until a room of a
campaign or a sheet says otherwise.
"""
