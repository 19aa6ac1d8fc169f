"""Formgrader's own pages with names escaped: nbgrader writes a student's id into HTML and scripts as it is.

A student's id is the name of a folder, which a learning platform makes from a name that the
student has typed there.
"""

import sys
from typing import Any

from markupsafe import escape

HANDLERS = "nbgrader.server_extensions.formgrader.base"


def escape_names() -> None:
    """Let every page of formgrader escape what it is given, where formgrader runs in this process."""
    module = sys.modules.get(HANDLERS)
    if module is None or hasattr(module.BaseHandler, "render_as_given"):
        return
    module.BaseHandler.render_as_given = module.BaseHandler.render
    module.BaseHandler.render = lambda self, name, **given: self.render_as_given(name, **escaped(given))


def escaped(given: Any) -> Any:
    """Text, and text in dictionaries, escaped for HTML and for quotation marks in a script."""
    if isinstance(given, dict):
        return {key: escaped(value) for key, value in given.items()}
    return escape(given) if isinstance(given, str) else given
