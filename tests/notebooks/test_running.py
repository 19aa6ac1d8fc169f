"""Pages run with stubs left alone, and the solutions of labs earn every point. All chapters run in the book's tests."""

import ast
import re
import tomllib
from importlib.metadata import requires
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

from tests.sampling import sampled

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted(ROOT.glob("course/*.ipynb"))
LABS = sorted(ROOT.glob("labs/*/*.ipynb"))
WITHOUT_CODE = ("errors.ipynb", "glossary.ipynb")


# What all pages import is no garbage, to be gone through again and again.
IMPORTS = """
import gc, matplotlib.pyplot, pandas
from autograder import check
from chip2cluster import explore, predict
gc.collect()
gc.freeze()
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """One kernel for all notebooks, emptied between them, and one client: to start one takes seconds, and one that is
    not stopped looks for its kernel ten times a second to the end of the tests."""
    home = tmp_path_factory.mktemp("reader")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHIP2CLUSTER_HOME", str(home / "record"))
        patch.setenv("IPYTHONDIR", str(home / "ipython"))
        manager, client = start_new_kernel(kernel_name="python3", cwd=str(home))
    client.allow_stdin = False
    assert client.execute(IMPORTS, reply=True, timeout=60)["content"]["status"] == "ok"
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def run(notebook, kernel):
    """Run a notebook in the kernel, emptied of what the one before has left."""
    empty = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("%reset -f")])
    for content in (empty, notebook):
        execution = NotebookClient(content, km=kernel[0], timeout=60)
        execution.kc = kernel[1]
        execution.execute()
    return notebook


def said(cell):
    """Everything that a cell put out, as text."""
    texts = [output.get("text", "") for output in cell.get("outputs", ())]
    texts += [output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", ())]
    return "\n".join(texts)


def checks(notebook):
    return {
        found.group(1): said(cell) for cell in notebook.cells if (found := re.match(r'check\("([\w.]+)"', cell.source))
    }


def uses_an_answer(page):
    """Whether a cell besides the check calls a function that is the reader's to write."""
    theirs = set()
    for cell in nbformat.read(page, as_version=4).cells:
        if cell.cell_type == "code":
            tree = ast.parse(cell.source)
            if "exercise" in cell.metadata.get("tags", ()):
                theirs |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
            elif not cell.source.startswith("check(") and theirs & {
                node.id for node in ast.walk(tree) if isinstance(node, ast.Name)
            }:
                return True
    return False


# The book runs all chapters with their stubs, but for later cells it fills them in.
@pytest.mark.parametrize(
    "page", [*filter(uses_an_answer, CHAPTERS), *sampled(LABS, 5)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_untouched_page_runs_and_says_not_written_yet(page, kernel):
    notebook = run(nbformat.read(page, as_version=4), kernel)
    verdicts = checks(notebook)
    assert all("not written yet" in text for text in verdicts.values()), verdicts


@pytest.mark.parametrize("page", sorted(ROOT.glob("solutions/*/*.ipynb")), ids=lambda page: page.stem)
def test_solution_notebook_earns_every_point(page, kernel):
    notebook = run(nbformat.read(page, as_version=4), kernel)
    graded = [cell for cell in notebook.cells if "award(" in cell.source]
    assert graded
    for cell in graded:
        assert float(said(cell).strip().splitlines()[-1]) == cell.metadata.nbgrader.points
        assert not any(output.get("name") == "stderr" for output in cell.outputs)


def opening(page):
    """What stands above a page's first code, and that code."""
    cells = nbformat.read(page, as_version=4).cells
    at = next(number for number, cell in enumerate(cells) if cell.cell_type == "code")
    return cells[at - 1], cells[at]


@pytest.mark.parametrize(
    "page", [page for page in CHAPTERS + LABS if page.name not in WITHOUT_CODE], ids=lambda page: page.stem
)
def test_first_code_cell_is_imports_with_folded_help_above(page):
    above, setup = opening(page)
    lines = setup.source.splitlines()
    assert setup.id == "setup" and all(len(line) <= 100 for line in lines)
    body = ast.parse(setup.source).body
    assert isinstance(body[0], (ast.Import, ast.ImportFrom)) and not any(isinstance(one, ast.Try) for one in body)
    # The same words everywhere, and the address of this repository.
    assert above.id == "setup-fails" and above.source == opening(CHAPTERS[0])[0].source
    assert above.source.startswith("<details><summary>") and above.source.endswith("</details>")
    repository = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Repository"]
    assert f"git+{repository}`" in above.source
    for help_ in ("`make lab`", "*Kernel > Change Kernel*", "`%pip install ", "name 'check' is not defined"):
        assert help_ in above.source


def test_what_the_install_line_leaves_out_is_not_needed_to_read():
    """It installs no dependencies, which Colab has or could not bear, and names the two that it lacks."""
    line = opening(CHAPTERS[0])[0].source.partition("`%pip install ")[2].partition("`")[0].split()
    assert line[:4] == ["-q", "--no-deps", "anywidget", "psygnal"]
    needed = {re.match(r"[\w.-]+", name)[0] for name in requires("anywidget") if "extra" not in name}
    assert needed <= {"psygnal", "ipywidgets", "typing-extensions"}
