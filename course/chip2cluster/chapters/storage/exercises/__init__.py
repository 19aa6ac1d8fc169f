"""The exercises on storage and checkpoints."""
