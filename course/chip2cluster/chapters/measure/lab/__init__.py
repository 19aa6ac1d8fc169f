"""The graded exercises of the lab "does your machine obey?"."""
