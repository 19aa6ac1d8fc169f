"""Placeholders in nbgrader's lists of preprocessors for what `grade_lab` does outside nbgrader."""

from typing import Any

from traitlets import Unicode
from traitlets.utils.importstring import import_item

from ..nbgrader_compat.converters import NbGraderException
from ..nbgrader_compat.tools import NbGraderPreprocessor


def preprocessor_class(preprocessor: Any) -> Any:
    """Return the class of an entry of a list of preprocessors, which may be its dotted name."""
    return import_item(preprocessor) if isinstance(preprocessor, str) else preprocessor


class _ReplacedPreprocessor(NbGraderPreprocessor):
    """Placeholder in a list of preprocessors: `grade_lab` does this step."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Refuse to run in nbgrader's own converter."""
        raise NbGraderException(
            f"{type(self).__name__} works only after autograder.nbgrader.configure(c, ROOT) in nbgrader_config.py"
        )


class RunInSandbox(_ReplacedPreprocessor):
    """Placeholder for nbgrader's ``Execute``: `grade_lab` runs the notebook in the sandbox and calls its functions."""

    sandbox = Unicode(
        "auto",
        help='"auto" refuses to grade where bubblewrap cannot run; "unsandboxed" then uses an ordinary subprocess.',
    ).tag(config=True)


class RebuildSubmission(_ReplacedPreprocessor):
    """Placeholder for nbgrader's ``OverwriteCells``: `grade_lab` puts the student's answers into the released notebook."""


class Ask(RunInSandbox):
    """`RunInSandbox` under its former name, so that ``c.Ask.sandbox`` in an existing configuration still counts."""
