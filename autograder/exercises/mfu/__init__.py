"""The exercises on utilization."""
