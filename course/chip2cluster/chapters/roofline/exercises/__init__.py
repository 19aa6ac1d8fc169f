"""The exercises on the roofline."""
