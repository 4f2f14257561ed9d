"""Leave and delete, with the cookie or the receipt code."""
