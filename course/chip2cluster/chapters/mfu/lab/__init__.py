"""The graded exercises of the lab "auditing the bill of a training run"."""
