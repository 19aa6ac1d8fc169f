"""nbgrader: its course, its gradebook, its steps, its releases."""
