"""Exams: exercises of the course drawn for a sitting, with other numbers for each student.

`askable` says what a paper can ask, `drawing` chooses, `question` finds each student's numbers
and what the named mistakes give there, `made` keeps the exam, `printed` sets it, `marking`
marks what was written on paper, and `assignment` makes it a notebook for nbgrader.
"""
