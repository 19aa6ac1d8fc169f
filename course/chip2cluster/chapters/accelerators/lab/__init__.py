"""The graded exercises of the lab "auditing datasheets"."""
