"""nbgrader's application: settings of a course."""

import logging
import sys
from pathlib import Path

from nbgrader.apps.baseapp import NbGrader

__all__ = ["CourseApplication"]


class CourseApplication(NbGrader):
    """nbgrader application that reads the configuration of a given course folder.

    Replaces ``NbGrader.load_cwd_config`` and ``NbGrader.init_syspath``, which take ``nbgrader_config.py`` and modules
    from the current folder: that may be a submission.
    """

    load_cwd_config = False

    def init_syspath(self) -> None:
        """Put the course folder, not the current one, on the import path."""
        sys.path.insert(0, self.config.CourseDirectory.root)

    @classmethod
    def of(cls, root: Path) -> "CourseApplication":
        """Read ``nbgrader_config.py`` of a course folder; its errors are raised, and only errors are logged."""
        app = cls(raise_config_file_errors=True, log_level=logging.ERROR)
        app.config.CourseDirectory.root = str(root)
        app.initialize([], root=str(root))
        app.log.setLevel(logging.ERROR)
        return app
