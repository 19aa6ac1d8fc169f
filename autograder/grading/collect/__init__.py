"""From a learning platform to the course: what was handed in, by whom, when."""
