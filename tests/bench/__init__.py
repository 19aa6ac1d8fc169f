"""Benchmarks: one module a topic, each with ``rows()``."""
