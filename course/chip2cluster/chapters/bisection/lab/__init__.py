"""The graded exercises of the lab "the narrowest cut of real machines"."""
