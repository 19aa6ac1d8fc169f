"""The exercises on serving."""
