"""The exercises on links."""
