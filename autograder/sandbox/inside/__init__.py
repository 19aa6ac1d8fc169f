"""All that runs in a box: the folder is copied there as a whole, and what both sides speak stands in it too.

Nothing here imports more of the autograder than `autograder.answers`, the one file that goes along.
"""
