"""From association tests and encoders to vectors: one vector per distinct text, model and pooling."""
