"""Grading for instructors: from submitted notebooks to marks, feedback and exports.

The path of an answer to a mark; each line is a module and its step::

    autograder grade LAB
      runs.pipeline                  find submissions, skip unchanged ones (runs.fingerprint), grade the rest on
                                     runs.workers (this machine) or runs.cluster (Dask), store and enter results
        submission.grade             one submission, from its folder to its Result
          intake.submission_reader     choose and parse the notebook  <- intake.notebook_candidates, intake.notebook
          releases                     find the release that it was made from
          intake.rebuild               restore the released shape     <- intake.matching, intake.cell_changes
          intake.extra_files           read modules and tables that were handed in with it
          submission.grade_notebook
            student_seeds              seeds of the hidden cases, the student's own constants
            task_questions             queries of each graded cell    <- check_cells.GradedTask, via lab.load
            notebook_run               run the cells, query the functions at their checks and at the end
              autograder.sandbox         untrusted side: runs the code, replies with values or errors
            sandbox_replies            untrusted reply -> Outcome
            task_questions.verdict     Outcome -> Verdict             <- autograder.checking.judge
            carried_errors             a mistake costs once: judge later tasks with the model answer, too
          display_run                  outputs for people, if cells call models that answers may not
          outputs                      verdicts and safe outputs into the notebook
        result, result_store         Result: points, verdicts, repairs; one JSON file for each student
      gradebook.writer               Result -> nbgrader's gradebook and autograded notebook
    reports, class_report            gradebook and results -> feedback, report, class report
    platforms, reports.export        marks -> learning platforms; collect brings their downloads in

`sanitize` makes text, notebooks and pictures of students safe to show, wherever they appear.
A solution notebook calls `award` in place of all this, so that plain nbgrader can grade it, too.
"""

from .award import award

__all__ = ["award"]
