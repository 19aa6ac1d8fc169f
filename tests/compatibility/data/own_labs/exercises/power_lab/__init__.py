"""The graded exercises of the lab on Power."""
