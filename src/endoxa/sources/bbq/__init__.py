"""BBQ's questions (Parrish et al. 2022) and files laid out like them: in as items, out as published."""
