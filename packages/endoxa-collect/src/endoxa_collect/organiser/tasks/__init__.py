"""Pages of tasks for accounts: the list, one item after the other, and what the organiser decides."""
