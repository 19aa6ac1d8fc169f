"""The graded exercises of the lab "one kernel, thirteen multiprocessors"."""
