"""The exercises on collectives."""
