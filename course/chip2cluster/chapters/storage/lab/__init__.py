"""The graded exercises of the lab "419 interruptions"."""
