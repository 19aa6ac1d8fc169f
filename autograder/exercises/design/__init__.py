"""The exercises on design."""
