"""The graded exercises of the lab "from the bound to a promise"."""
