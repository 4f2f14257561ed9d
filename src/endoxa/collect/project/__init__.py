"""The campaign as a folder: init, serve, accounts, backup, restore."""
