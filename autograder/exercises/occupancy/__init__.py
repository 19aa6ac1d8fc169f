"""The exercises on occupancy."""
