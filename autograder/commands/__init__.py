"""Commands of ``autograder``, a file each: its help text, its options, and what it does.

A command is a module with ``HELP``, ``add_options(parser)`` and ``run(options)``, which returns the exit code. All
modules are imported for ``autograder --help``, so they import what takes time inside ``run``.
"""

FOR_STUDENTS = ("workspace", "identify")
FOR_INSTRUCTORS = (
    "roster",
    "due",
    "late",
    "group",
    "requests",
    "collect",
    "grade",
    "mark",
    "peer-review",
    "feedback",
    "export",
    "report",
    "class-report",
    "demo",
    "selftest",
    "secret",
    "exam",
    "help-policy",
    "written-question",
    "hub-link",
)
FOR_AUTHORS = ("doctor", "new", "generate-labs")
COMMANDS = (*FOR_STUDENTS, *FOR_INSTRUCTORS, *FOR_AUTHORS)
# The other commands run with what students install.
NEED_NBGRADER = frozenset(FOR_INSTRUCTORS) - {"hub-link", "secret"}

# Names of earlier versions. They work as before; the list of commands leaves them out.
EARLIER_NAMES = {
    "start": "workspace",
    "me": "identify",
    "class": "class-report",
    "hints": "help-policy",
    "question": "written-question",
    "link": "hub-link",
    "labs": "generate-labs",
}
