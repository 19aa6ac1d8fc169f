"""A real JupyterLab and a real Chromium for browser tests.

``lab`` is a JupyterLab server with private folders, one for a test session (one
for each worker under xdist); ``page`` is a browser page with nothing open in it.
JupyterLab takes seconds to load, so it is loaded once and the notebooks come and
go. ``lab.notebook`` writes a notebook, ``Notebook.open`` shows it and
``Notebook.run_all`` runs it, each waiting for the real event, never for a time.
"""

import json
import os
import secrets
import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest

from tests.browser import kernel_pool
from tests.serving import start_jupyter

REPOSITORY = Path(__file__).resolve().parents[2]

# What instructors, a hub and the site's makers install is off: a reader who has the course alone has none of it.
# And no page that is loaded has Node.js look whether JupyterLab is to be built, which takes half a second.
SERVER = {
    "ServerApp": {
        "jpserver_extensions": dict.fromkeys(
            (
                "nbgitpuller",
                "nbgrader.server_extensions.assignment_list",
                "nbgrader.server_extensions.course_list",
                "nbgrader.server_extensions.formgrader",
                "nbgrader.server_extensions.validate_assignment",
                "notebook",
            ),
            False,
        )
    },
}
PAGE = {
    "disabledExtensions": dict.fromkeys(
        ("@jupyter/nbgrader", "@jupyter-notebook/lab-extension", "@jupyterlite/pyodide-kernel-extension"), True
    ),
    "buildAvailable": False,
    "buildCheck": False,
}


class Lab:
    """A running JupyterLab. ``root`` is the folder that it shows, ``home`` the user's."""

    def __init__(self, folder):
        self.root, self.home = folder / "notebooks", folder / "home"
        self.token = secrets.token_hex(16)
        self._folder = folder
        for path in (self.root, self.home):
            path.mkdir()

    def start(self):
        # As an installation does.
        settings = self._folder / "settings" / "overrides.d"
        enabled = self._folder / "jupyter_config_dir" / "jupyter_server_config.d"
        for source, target in (("overrides.json", settings), ("serverextension.json", enabled)):
            target.mkdir(parents=True)
            shutil.copy(REPOSITORY / "course/chip2cluster" / source, target / "chip2cluster.json")
        (enabled / "tests.json").write_text(json.dumps(SERVER))
        page = enabled.parent / "labconfig/page_config.json"
        page.parent.mkdir()
        page.write_text(json.dumps(PAGE))
        private = {
            name: str(self._folder / name.lower())
            for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
        }
        environment = {
            **os.environ,
            **private,
            "HOME": str(self.home),
            "JUPYTER_PREFER_ENV_PATH": "no",  # what is set here goes before what is installed
            "CHIP2CLUSTER_HOME": str(self.home / "chip2cluster"),
            "JUPYTERLAB_SETTINGS_DIR": str(self._folder / "user-settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(self._folder / "workspaces"),
            "PYTHONPATH": os.pathsep.join([str(REPOSITORY / "course"), str(REPOSITORY)]),
        }
        arguments = [
            "jupyterlab", "--no-browser", "--allow-root", f"--IdentityProvider.token={self.token}",
            f"--ServerApp.root_dir={self.root}", "--LabApp.expose_app_in_browser=True",
            f"--LabApp.app_settings_dir={settings.parent}",
        ]  # fmt: skip
        log = self._folder / "server.log"
        self._pool = kernel_pool.begin(self._folder, environment, log)
        self._process, self.url = start_jupyter(arguments, environment, self.root, log)

    def log(self):
        """What the server has said so far."""
        return (self._folder / "server.log").read_text()

    def stop(self):
        self._process.terminate()  # the server ends its kernels itself
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._pool.stdin.close()
        self._pool.wait()

    def notebook(self, page, *cells, path=None):
        """Write code cells (or copy the notebook at ``path``) and return a `Notebook` to open."""
        name = f"{secrets.token_hex(4)}.ipynb"
        if path:
            shutil.copy(path, self.root / name)
        else:
            notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
            notebook.metadata["kernelspec"] = {
                "name": kernel_pool.NAME,
                "display_name": "Python 3",
                "language": "python",
            }
            nbformat.write(notebook, self.root / name)
        return Notebook(self, page, name)


class Notebook:
    """A notebook in the browser."""

    def __init__(self, lab, page, name):
        self.lab, self.page, self.name = lab, page, name

    def open(self):
        page = self.page
        if not page.evaluate("window.jupyterapp !== undefined"):
            page.goto(f"{self.lab.url}lab?token={self.lab.token}")
            page.wait_for_function("window.jupyterapp !== undefined", timeout=60_000)
            page.evaluate("async () => { await window.jupyterapp.restored }")
        page.evaluate(
            "async (path) => { await window.jupyterapp.commands.execute('docmanager:open', { path }) }", self.name
        )
        page.wait_for_function(
            f"window.jupyterapp.shell.currentWidget?.context?.path === {json.dumps(self.name)}", timeout=30_000
        )
        page.evaluate(
            """async () => {
                const session = window.jupyterapp.shell.currentWidget.context.sessionContext;
                await session.ready;
                await session.session.kernel.info;
            }"""
        )
        return self

    def run_all(self):
        """Run every cell and wait until all have finished; an error in a cell is an error here."""
        self.page.evaluate("async () => { await window.jupyterapp.commands.execute('notebook:run-all-cells') }")
        errors = self.page.locator('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]')
        assert not errors.count(), errors.first.inner_text()
        return self

    def restart_kernel(self):
        """Restart the kernel without the dialogue and wait until it answers."""
        self.page.evaluate(
            """async () => {
                const kernel = window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel;
                await kernel.restart();
                await kernel.requestKernelInfo();
            }"""
        )

    def save(self):
        """Save and return the notebook as it lies on disk."""
        self.page.evaluate("async () => { await window.jupyterapp.commands.execute('docmanager:save') }")
        return nbformat.read(self.lab.root / self.name, as_version=4)


def drawn(image):
    """The markup of an explorer's picture, which lies in the shadow tree of its image."""
    return image.evaluate("(host) => host.shadowRoot.innerHTML")


def slider(view):
    """The first slider of a roofline explorer."""
    return view.get_by_role("slider", name="Batch in decode")


def wait_for(view, words):
    """Wait for the sentence of a state; it comes together with picture and table."""
    view.locator(".c2c-sentence", has_text=words).wait_for()


def scrolled_to(page, cell_id):
    """Scroll to a cell, since JupyterLab keeps distant ones out of the page, and return its element."""
    # A page that was just opened may not be the current one yet, or have its cells.
    page.wait_for_function(
        "(id) => window.jupyterapp.shell.currentWidget?.content?.widgets?.some((cell) => cell.model?.sharedModel?.id === id)",
        arg=cell_id,
    )
    index = page.evaluate(
        """async (id) => {
            const content = window.jupyterapp.shell.currentWidget.content;
            const index = content.widgets.findIndex((cell) => cell.model.sharedModel.id === id);
            content.activeCellIndex = index;
            await content.scrollToItem(index, 'start');
            return index;
        }""",
        cell_id,
    )
    cell = page.locator(f'.jp-Cell[data-windowed-list-index="{index}"]')
    cell.wait_for()
    return cell


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    server = Lab(tmp_path_factory.mktemp("lab"))
    server.start()
    yield server
    server.stop()


# Kernels end and notebooks go without a question about what was not saved.
CLEAR = """async () => {
    if (window.jupyterapp === undefined) return;
    await window.jupyterapp.serviceManager.sessions.shutdownAll();
    for (const widget of [...window.jupyterapp.shell.widgets('main')]) widget.dispose();
}"""


def clear(desk):
    """Leave JupyterLab with nothing open."""
    desk.evaluate(CLEAR)
    if desk.locator(".jp-Dialog").count():
        desk.reload()


@pytest.fixture(scope="session")
def desk(browser):
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture
def page(desk, lab):
    """The browser page with nothing open, and a learner without a record."""
    shutil.rmtree(lab.home / "chip2cluster", ignore_errors=True)
    desk.set_viewport_size({"width": 1400, "height": 950})
    desk.mouse.move(0, 0)
    yield desk
    clear(desk)
