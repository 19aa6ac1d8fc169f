"""Grading before a class depends on it: an invented class, graded (`demo`), and a test of this machine (`selftest`)."""
