"""Jupyter server extension with the marking pages, where nbgrader is installed.

``serverextension.json`` next to it enables it, installed into ``etc/jupyter``. The pages are imported when somebody first
opens one, because a student's server starts it as well.
"""

from importlib.util import find_spec

NEEDED = ("nbgrader", "jinja2", "mistune")


def _jupyter_server_extension_points():
    return [{"module": __name__}]


def _load_jupyter_server_extension(server):
    if any(find_spec(name) is None for name in NEEDED):
        return
    from jupyter_server.base.handlers import JupyterHandler

    base_url = server.web_app.settings["base_url"].rstrip("/")

    class MarkingPages(JupyterHandler):
        def __new__(cls, application, request, **more):
            from .grading.marking.login_pages import find_page

            page, arguments = find_page(base_url, request.path)
            return page(application, request, arguments=arguments, **more)

    server.web_app.add_handlers(".*", [(rf"{base_url}/marking(?:/.*)?", MarkingPages)])
