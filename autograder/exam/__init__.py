"""Exams: exercises of the course with different numbers for each student, on paper or as a notebook.

`eligibility` decides which exercises can be asked on paper, `drawing` chooses exercises, `question` draws each student's
numbers, `exam` stores the exam, `paper` renders it, `marking` marks answers from paper, and `assignment` writes an exam as
a notebook for nbgrader.
"""
