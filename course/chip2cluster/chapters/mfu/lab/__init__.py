"""The graded exercises of the lab "auditing a training bill"."""
