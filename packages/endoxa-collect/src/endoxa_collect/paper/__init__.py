"""Paper: cards and sheets to print, and the answers that are typed in afterwards."""
