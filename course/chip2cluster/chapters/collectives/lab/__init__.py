"""The graded exercises of the lab "two numbers for a network"."""
