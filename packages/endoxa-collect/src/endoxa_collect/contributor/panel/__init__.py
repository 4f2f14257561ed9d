"""Pages of a panel: people without an account judge the items of one task, from consent to the link back."""
