"""A data set for others: a folder for the Hugging Face hub, or a task of another evaluation harness."""
