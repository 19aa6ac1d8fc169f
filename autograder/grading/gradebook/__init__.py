"""nbgrader in this course: configuration, gradebook, grading, releases and formgrader."""
