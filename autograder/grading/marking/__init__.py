"""Mark written answers: rubrics, the marks given with them, a page for the marker, and several markers."""
