"""What formgrader shows of a graded notebook: text of a student that cannot act in the instructor's name."""

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from nbconvert.preprocessors import Preprocessor

from ... import lab_names
from ..nbgrader_compat.formgrader import escape_values
from ..nbgrader_compat.tools import CourseDirectory
from ..sanitize.notebook_cells import released_sources, sanitize_notebook

NAMES = ("student", "first_name", "last_name", "notebook_path")
# Nothing reaches out of its cell, formulas included; a wide table is scrolled, not wrapped.
STYLE = """
div.text_cell_render.rendered_html { contain: paint; overflow: auto hidden; }
div.text_cell_render table { border-collapse: collapse; margin: 0 0 1em; }
div.text_cell_render th, div.text_cell_render td { border: 1px solid #cfcfcf; padding: 3px 10px; }
div.text_cell_render img { max-width: 100%; }
.input_area, .output_area { contain: paint; overflow-x: auto; }
.output_area pre, .input_area pre { white-space: pre; word-break: normal; overflow-wrap: normal; }
.highlight .err { border: 0; }
"""


def local_mathjax(root: Path) -> Path | None:
    """Return the folder of MathJax 2 in a course's working folder or beside this Python; None if there is none."""
    places = (root / "autograder" / "work", Path(sys.prefix) / "node", Path(sys.prefix))
    found = (place / "node_modules" / "mathjax" for place in places)
    return next((folder for folder in found if (folder / "MathJax.js").is_file()), None)


class SanitizeSubmission(Preprocessor):
    """Preprocessor of formgrader's page that makes a student's cells and names inert; nobody need have graded it here.

    See `autograder.grading.sanitize.notebook_cells`.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Sanitize the cells and escape the names."""
        sanitize_notebook(nb, _released_texts(self.config, resources))
        resources.update(escape_values({name: resources.get(name) for name in NAMES}))
        return nb, resources


def _released_texts(config: Any, names: Any) -> dict[str, str]:
    """Texts of the release of the lab that formgrader shows; empty if there is none."""
    directory = CourseDirectory(config=config)
    folder = Path(directory.format_path(directory.release_directory, ".", str(names.get("assignment_id"))))
    name = str(names.get("notebook_id"))
    # The gradebook takes a new name of a notebook only when something is graded.
    for file in (folder / f"{name}.ipynb", folder / f"{lab_names.other_name(name)}.ipynb"):
        with suppress(OSError, ValueError, KeyError, TypeError):
            return released_sources(json.loads(file.read_text(encoding="utf-8")))
    return {}
