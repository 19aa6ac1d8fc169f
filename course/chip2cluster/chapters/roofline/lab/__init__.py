"""The graded exercises of the lab "decoding on real chips"."""
