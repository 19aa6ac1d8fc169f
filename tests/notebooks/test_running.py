"""Pages run with stubs left alone, and the solutions of labs earn every point. All chapters run in the book's tests."""

import ast
import re
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted(ROOT.glob("course/*.ipynb"))
LABS = sorted(ROOT.glob("labs/*/*.ipynb"))
WITHOUT_CODE = ("glossary.ipynb",)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """One kernel for all notebooks, emptied between them: to start one takes seconds."""
    home = tmp_path_factory.mktemp("reader")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHIP2CLUSTER_HOME", str(home / "record"))
        patch.setenv("IPYTHONDIR", str(home / "ipython"))
        manager, client = start_new_kernel(kernel_name="python3", cwd=str(home))
    client.stop_channels()
    yield manager
    manager.shutdown_kernel(now=True)


def run(notebook, kernel):
    empty = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("%reset -f")])
    for content in (empty, notebook):
        NotebookClient(content, km=kernel, timeout=60).execute()
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
    "page", [*filter(uses_an_answer, CHAPTERS), *LABS], ids=lambda page: str(page.relative_to(ROOT))
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


def setup_cell(page):
    return next(cell for cell in nbformat.read(page, as_version=4).cells if cell.cell_type == "code")


def test_every_page_meets_a_missing_package_in_the_same_way():
    pages = [page for page in CHAPTERS + LABS if page.name not in WITHOUT_CODE]
    answers = {
        setup_cell(page).source.partition("except ModuleNotFoundError")[2].partition("raise")[0] for page in pages
    }
    assert len(answers) == 1 and "".join(answers)


def test_a_missing_package_is_said_in_one_line(kernel):
    notebook = nbformat.read(CHAPTERS[-1], as_version=4)
    setup = setup_cell(next(page for page in CHAPTERS if page.name.startswith("03")))
    setup.source = setup.source.replace("chip2cluster import", "chip2cluster_absent import")
    notebook.cells = [setup]
    NotebookClient(notebook, km=kernel, allow_errors=True).execute()
    (shown,) = setup.outputs
    (line,) = shown["traceback"]
    assert line.startswith("chip2cluster_absent is not installed here: run `make lab`")
