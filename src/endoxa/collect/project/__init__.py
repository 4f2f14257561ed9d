"""A campaign as a folder: made, served, backed up, restored; and the accounts that may enter."""
