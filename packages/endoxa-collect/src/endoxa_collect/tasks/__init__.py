"""Tasks: rooms in which people judge items one by one, under a rule of who may judge and what is hidden from them."""
