"""Feedback for students, reports for instructors, and exports for learning platforms."""
