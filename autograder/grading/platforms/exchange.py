"""nbgrader's exchange: submissions by account, in a folder of the machine and not in a download."""

from ..collect.downloaded_submission import DownloadedSubmission
from ..collect.match_students import MatchMethod, StudentMatch, StudentMatcher
from .interface import Platform, SubmissionLayout


def match(matcher: StudentMatcher, submission: DownloadedSubmission, lab: str) -> StudentMatch:
    """Take the account for the student's id."""
    # The name is without the prefix of The Littlest JupyterHub.
    is_listed = submission.key not in matcher.by_id and submission.name in matcher.by_id
    return StudentMatch(submission.name if is_listed else submission.key, MatchMethod.ACCOUNT)


PLATFORM = Platform(
    name="exchange",
    label="Exchange",
    is_learning_platform=False,
    roster=None,
    submissions=SubmissionLayout(None, None, match),
    worksheet=None,
    export=None,
    feedback_zip=None,
)
