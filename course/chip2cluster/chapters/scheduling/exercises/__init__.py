"""Exercises on scheduling and operating a cluster."""
