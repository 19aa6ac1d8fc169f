"""The exercises on the machine."""
