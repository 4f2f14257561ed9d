"""`endoxa probe qa`: multiple-choice questions about people to chat models, or to local models by log-likelihood."""
