"""How our numbers are computed, a function for each kind; what differs between results is in their settings."""
