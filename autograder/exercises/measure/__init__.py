"""The exercises on measuring."""
