"""The exercises on accelerators."""
