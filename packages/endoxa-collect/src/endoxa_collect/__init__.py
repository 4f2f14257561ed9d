"""The campaign site: a Django project that works alone, so that a community can answer on its phones.

The command line starts it; no other part of endoxa imports it. `models/` is what is stored, `sampler/` decides which
card comes next (pure functions), `cards/` does it in the database, the other folders are the
pages and what organisers do. A distribution of its own: `endoxa-collect`.
"""
