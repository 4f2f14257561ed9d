"""What is measured: one folder for each instrument."""
