"""Exams: exercises of the course with different numbers for each student, on paper or as a notebook.

`eligibility` decides which exercises can be asked on paper, `drawing` chooses exercises, `paper_question` draws each
student's numbers (`question` those of exams that an earlier version drew), `exam` stores the exam, `retake` draws it again
with other numbers, `paper` renders it, `answer_table` reads what was typed, `marking` marks it, `totals` sums it up, and
`assignment` writes an exam as a notebook for nbgrader.
"""
