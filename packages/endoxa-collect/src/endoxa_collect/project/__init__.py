"""A campaign as a folder: create, serve, back up, restore; and its accounts."""
