"""Collect submissions: find the files of each student, match them to the roster, and put them into the course."""
