"""The graded exercises of the lab "one thousand jobs"."""
