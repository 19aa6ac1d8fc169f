"""The exercises on systolic arrays."""
