"""The exercises on money, energy and carbon."""
