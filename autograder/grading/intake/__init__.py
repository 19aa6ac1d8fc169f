"""From a file that a student handed in to a notebook in the shape of the release."""
