"""The graded exercises of the lab "auditing data sheets"."""
