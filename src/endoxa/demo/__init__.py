"""The demonstration: a sample data set, and models whose preferences are known because they were planted."""
