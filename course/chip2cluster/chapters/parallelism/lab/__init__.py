"""The graded exercises of the lab "eighteen measured rows"."""
