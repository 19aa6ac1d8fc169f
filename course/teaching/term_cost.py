"""What a term costs the people who mark: hours for written answers, typing and paper for an exam, and ways to need less."""

import math

CLASSES = (30, 120, 300)  # students
# Estimates, in minutes: read and mark one written answer; confirm a draft made from peers' reviews; review one answer.
ANSWER_MINUTES, CONFIRM_MINUTES, REVIEW_MINUTES = 2.0, 0.5, 5.0
# An exam of 60 minutes as `autograder exam` draws it: 10 answers on 4 pages. Estimate: type them and look at the working.
EXAM_PAGES, PAPER_MINUTES = 4, 4.0
# Estimate of how much one student's written answers differ among each other: standard deviation, share of the points.
ANSWER_SPREAD = 0.20
SAMPLE, DROPPED, REVIEWS = 4, 2, 3


def answers(term):
    """Return how many answers of one student a person marks in a term."""
    return sum(task.by_hand for week in term.weeks for work in week.work for task in work.tasks)


def marking_hours(students, count, minutes=ANSWER_MINUTES):
    """Return the hours to mark ``count`` answers of each of ``students``."""
    return students * count * minutes / 60


def standard_error(marked, count, spread=ANSWER_SPREAD):
    """Return the standard error of a student's mean if ``marked`` of ``count`` answers, drawn at random, are marked.

    It is that of a sample without replacement from a finite population, as a share of the points.
    """
    return spread * math.sqrt(1 / marked - 1 / count)


def costs(terms):
    """Return a row for each term and class size: answers a student, hours of marking, of an exam, pages."""
    return [
        {
            "term": term.name,
            "students": students,
            "answers": answers(term),
            "marking": f"{marking_hours(students, answers(term)):.0f}",
            "exam": f"{students * PAPER_MINUTES / 60:.0f}",
            "pages": f"{students * EXAM_PAGES:,}",
        }
        for term in terms
        for students in CLASSES
    ]


def ways_down(term, students):
    """Return what each way to mark less costs in one term and class, and what is lost with it."""
    count = answers(term)
    third = math.ceil(count / 3)

    def error(marked):
        return f"{standard_error(marked, count):.0%}".replace("%", " %")

    return [
        {
            "way": "mark every answer",
            "hours": f"{marking_hours(students, count):.0f}",
            "loses": "nothing",
        },
        {
            "way": f"**sample**: mark {SAMPLE} of the {count} answers of each student, drawn after the due date",
            "hours": f"{marking_hours(students, SAMPLE):.0f}",
            "loses": f"comments on {count - SAMPLE} answers; a student's written part is known to ±{error(SAMPLE)} of its points "
            "(one standard error)",
        },
        {
            "way": "**rotate**: each week mark another third of the class",
            "hours": f"{marking_hours(students, third):.0f}",
            "loses": f"the same kind: ±{error(third)}, and students compare marks of different questions. The week's hours are even",
        },
        {
            "way": f"**drop the lowest {DROPPED}**, and let students leave {DROPPED} out",
            "hours": f"{marking_hours(students, count - DROPPED):.0f} to {marking_hours(students, count):.0f}",
            "loses": "little time saved; the mean rises, and questions that nobody has to answer teach less",
        },
        {
            "way": f"**peer review**: `autograder peer-review`, {REVIEWS} reviews of each answer, then confirm the drafts",
            "hours": f"{marking_hours(students, count, CONFIRM_MINUTES):.0f}",
            "loses": f"{REVIEWS * REVIEW_MINUTES:.0f} minutes of each student for each lab, who learn to read with a rubric; answers on "
            "which reviewers differ take as long as before",
        },
    ]
