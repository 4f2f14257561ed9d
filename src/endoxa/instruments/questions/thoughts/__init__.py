"""What models think before they answer a question: which option they argue for, and what they give as the reason."""
