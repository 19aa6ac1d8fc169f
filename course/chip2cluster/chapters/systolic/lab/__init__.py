"""The graded exercises of the lab "a layer for somebody else's array"."""
