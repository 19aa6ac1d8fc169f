"""The graded exercises of the lab "the wires of three nodes"."""
