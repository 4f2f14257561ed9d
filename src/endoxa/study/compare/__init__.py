"""What changed between runs of the same items: measures, their price, the items that changed sides."""
