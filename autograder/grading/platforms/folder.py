"""Plain folder or zip of files: any names; the outermost name is an id, an address or a name of the student."""

import re
from collections import defaultdict

from ... import lab_names
from ..collect.download_files import DownloadFile, is_notebook
from ..collect.downloaded_submission import DownloadedSubmission, restore_notebook_name
from ..collect.match_students import MatchMethod, StudentMatch, StudentMatcher, match_only
from ..collect.student_names import Person, normalize_name
from .interface import Platform, RosterColumns, SubmissionLayout

# Blackboard's ASSIGNMENT_USERNAME_attempt_TIME, before what the student called the file; nothing follows for its own text.
_ATTEMPT = re.compile(r"(?P<who>.+?)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<rest>.*)|(?P<text>\.txt))?", re.DOTALL)

_PUNCTUATED = re.compile(r"[\W_]")
_OWN_TEXT = "attempt.txt"


def group(files: list[DownloadFile], lab: str) -> tuple[list[DownloadedSubmission], list[DownloadFile]]:
    """Group files by their outermost name; every file belongs to somebody."""
    # A folder around everything says nothing, unless it is a student's folder with the lab in it.
    while files and all(len(file.parts) > 2 for file in files) and len({file.parts[0] for file in files}) == 1:
        if _ATTEMPT.fullmatch(files[0].parts[0]) or any(file.parts[1] == lab for file in files):
            break
        files = [file.below(1) for file in files]
    submissions, files = _group_attempts(files, lab)
    by_name: defaultdict[str, list[DownloadFile]] = defaultdict(list)
    for file in files:
        by_name[file.parts[0]].append(file)
    for name, members in sorted(by_name.items()):
        if len(members) == 1 and len(members[0].parts) == 1:
            stem = name.rpartition(".")[0] or name
            released = f"{lab_names.notebook_name(lab)}.ipynb" if is_notebook(name) else name
            # Files whose names differ only in the suffix belong to one person.
            submissions.setdefault(stem, DownloadedSubmission(stem)).files.append(members[0].below(0, released))
            continue
        members = [file.below(1) for file in members]
        of_lab = [file.below(1) for file in members if len(file.parts) > 1 and file.parts[0] == lab]
        submissions[name] = DownloadedSubmission(name, files=restore_notebook_name(of_lab or members, lab))
    return [submissions[key] for key in sorted(submissions)], []


def _group_attempts(files: list[DownloadFile], lab: str) -> tuple[dict[str, DownloadedSubmission], list[DownloadFile]]:
    """Group the files that Blackboard has named, the last attempt of each person; also return the others."""
    attempts: defaultdict[str, defaultdict[str, list[DownloadFile]]] = defaultdict(lambda: defaultdict(list))
    others = []
    for file in files:
        named = _ATTEMPT.fullmatch(file.parts[0])
        if named is None:
            others.append(file)
        elif len(file.parts) > 1:
            attempts[named["who"]][named["time"]].append(file.below(1))
        else:
            attempts[named["who"]][named["time"]].append(file.below(0, named["rest"] or _OWN_TEXT))
    submissions = {}
    for who, by_time in attempts.items():
        # An attempt of which there is only Blackboard's own text is no rival of a file.
        with_file = [time for time, members in by_time.items() if any(one.name != _OWN_TEXT for one in members)]
        last = max(with_file or by_time)
        submission = DownloadedSubmission(f"{who}_attempt_", who, files=restore_notebook_name(by_time[last], lab))
        if len(by_time) > 1:
            submission.notes.append(f"Of {len(by_time)} attempts the last counts, {last}.")
        submissions[submission.key] = submission
    return submissions, others


def match(matcher: StudentMatcher, submission: DownloadedSubmission, lab: str) -> StudentMatch:
    """Find the student whose id, address or name is the outermost name, or is part of it; without a roster it is the id."""
    key = submission.name or submission.key
    if not matcher.people:
        return StudentMatch(key, MatchMethod.UNLISTED)
    for kind, method in (("id", MatchMethod.ID), ("email", MatchMethod.EMAIL), ("name", MatchMethod.NAME)):
        if found := matcher.only_student_with(kind, normalize_name(key), method):
            return found
    if changed := matcher.changed_by_spreadsheet(key):
        reason = f"{key} is not an id on the roster; a spreadsheet can have made it of {' or '.join(changed)}."
        return StudentMatch("", MatchMethod.UNKNOWN, reason)
    if submission.key.endswith("_attempt_"):
        return _match_attempt(matcher, normalize_name(key))
    # The name of the lab is not part of a student's.
    rest = normalize_name(key).replace(f"lab_{lab}", " ").replace(lab, " ")
    within = [student for student in matcher.by_id if _contains_word(rest, normalize_name(student))]
    # An id that is part of another matching id is not meant.
    within = [
        student
        for student in within
        if not any(
            student != other and _contains_word(normalize_name(other), normalize_name(student)) for other in within
        )
    ]
    words = _words(rest)
    if within:
        return match_only(sorted({*within, *_rivals(matcher, within, words)}), MatchMethod.WITHIN, key)
    named = {one.student for one in matcher.people if one.first and one.last and _contains_name(words, one)}
    return match_only(sorted(named), MatchMethod.NAME, f"the name {key}")


def _match_attempt(matcher: StudentMatcher, who: str) -> StudentMatch:
    """Find the student whose id ends what Blackboard writes before the attempt; the longest such id is meant."""
    ends = [who[place:] for place in range(len(who)) if place == 0 or who[place - 1] == "_"]
    for end in ends:
        for kind, method in (("id", MatchMethod.WITHIN), ("email", MatchMethod.EMAIL)):
            if found := matcher.only_student_with(kind, end, method):
                return found
    for end in ends:
        if changed := matcher.changed_by_spreadsheet(end):
            return StudentMatch(
                "", MatchMethod.UNKNOWN, f"{end} is not an id on the roster; it resembles {' or '.join(changed)}."
            )
    return match_only([], MatchMethod.WITHIN, who)


def _contains_word(text: str, word: str) -> bool:
    return re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", text) is not None


def _words(text: str) -> str:
    return re.sub(r"[\W_]+", " ", normalize_name(text)).strip()


def _rivals(matcher: StudentMatcher, within: list[str], words: str) -> list[str]:
    """Return other students whom the words may mean: an id can be another student's first name, as in "Ann Marie Smith".

    Their id is in the words but for its punctuation, or their last name is and that of those found is not.
    """
    own = {_words(one.last) for one in matcher.people if one.student in within} - {""}
    is_named = any(_contains_word(words, last) for last in own)
    return [
        one.student
        for one in matcher.people
        if one.student not in within
        and (
            (_PUNCTUATED.search(one.student) and _contains_word(words, _words(one.student)))
            or (not is_named and len(last := _words(one.last)) > 1 and _contains_word(words, last))
        )
    ]


def _contains_name(words: str, person: Person) -> bool:
    first, last = _words(person.first), _words(person.last)
    orders = (f"{first} {last}", f"{last} {first}", f"{last}{first}", f"{first}{last}")
    return any(_contains_word(words, name) for name in orders)


PLATFORM = Platform(
    name="folder",
    label="Folder",
    is_learning_platform=False,
    roster=RosterColumns(
        description="your own",
        ids=("student", "student_id", "student id", "id"),
        first_names=("first_name",),
        last_names=("last_name",),
        emails=("email", "Email address", "E-mail", "mail"),
        numbers=("lms_user_id", "canvas"),
    ),
    submissions=SubmissionLayout(None, group, match),
    worksheet=None,
    export=None,
    feedback_zip=None,
)
