"""The questions, a file for each topic."""
