"""Exercises of the lab on a cluster of one's own."""
