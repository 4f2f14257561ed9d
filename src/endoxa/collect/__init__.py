"""The guest house: a campaign that a community runs on its phones. A Django project that works alone.

Nothing of the road imports it; the command line starts it. `models/` is what is stored, `sampler/` decides which card
comes next (pure functions, shared with `simulate/`), `cards/` does it in the database, the other folders are the pages
and what organisers do. Needs the extra `endoxa[collect]`.
"""
