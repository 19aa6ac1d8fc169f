"""Modules that run inside the sandbox, and the protocol of both sides. The folder is copied there as a whole.

Nothing here imports any other module of the autograder than `autograder.answers`, which is copied as well.
"""
