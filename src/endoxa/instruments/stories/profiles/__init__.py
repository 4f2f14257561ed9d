"""How far extracted profiles can be trusted."""
