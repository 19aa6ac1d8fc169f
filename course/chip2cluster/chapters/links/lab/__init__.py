"""The graded exercises of the lab "the links of three nodes"."""
