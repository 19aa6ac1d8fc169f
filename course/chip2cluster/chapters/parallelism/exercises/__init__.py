"""The exercises on parallelism."""
