"""The graded exercises of the lab "the narrowest place of real machines"."""
