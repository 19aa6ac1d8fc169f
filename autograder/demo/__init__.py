"""Believe it before a class depends on it: a class that never was, graded (`demo`), and a proof of this machine (`selftest`)."""
