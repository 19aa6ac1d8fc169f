"""Execute the pages of the course for the book.

A reader sees the stub and its verdict. Then the exercise's solution runs hidden, and is checked, so that later cells
find a function that works. Nothing of the building machine gets in: each page has a fresh process, a record of its own
and the student id ``reader``.
"""

import os
import re
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue

import nbformat

from autograder.exercises import exercise
from autograder.student.given import draw_number

from . import predictions, review
from .exercises import anchor
from .page_runner import CellError, Runner

COURSE = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
CHECK = re.compile(r'check\("([\w.]+)"')
# Calls that the book hides, because it shows their result.
SHOWN = re.compile(r"(?:predict\.(?:ask|notes)|explore\.\w+|contents|given|progress)\(.*\)")
EXPLORER = re.compile(r"explore\.\w+\(")
FOR_A_KERNEL = "setup-fails"  # the cell with help for a kernel without the course
FOLDED = "The imports of this page"
STUDENT = "reader"


class PageError(Exception):
    """A cell of a page failed; the message names page and cell and carries the traceback."""


def sources():
    """Return the notebooks that become pages, in their order."""
    return sorted(COURSE.glob("*.ipynb"))


def pages(target, jobs=2, only=None, moving=None):
    """Write every page into ``target``, executed, and what the pages need into ``target/_static``.

    ``only`` names the pages to execute, such as ``{"03_roofline"}``; the others are copied without results, for a quick
    look at one page. ``moving`` names the classes of the explorers that are interactive in this book; drawing their
    states takes most of the time.
    """
    target = Path(target)
    static = target / "_static"
    static.mkdir(parents=True, exist_ok=True)
    for name in (predictions.SCRIPT, "cards.css"):
        shutil.copy(HERE / name, static)
    (static / predictions.DATA).write_text(predictions.data(), encoding="utf-8")
    (static / review.DATA).write_text(review.data(), encoding="utf-8")
    idle = SimpleQueue()

    def make(file):
        runner = idle.get()
        try:
            _execute_page(runner, file, target / file.name, static, moving)
        finally:
            idle.put(runner)

    with ExitStack() as stack, ThreadPoolExecutor(jobs) as pool:
        for _ in range(jobs):
            idle.put(stack.enter_context(Runner(environment(), many=only is None)))
        # Pages with explorers take longest and start first, or they would run alone at the end.
        files = sorted(sources(), key=lambda file: "explore." in file.read_text(encoding="utf-8"), reverse=True)
        run, taken = (files, []) if only is None else _split_by_name(files, only)
        for file in taken:
            shutil.copy(file, target)
        made = [pool.submit(make, file) for file in run]
        try:
            for execution in made:
                execution.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _split_by_name(files, only):
    """Split files into those to execute and the others."""
    return [file for file in files if file.stem in only], [file for file in files if file.stem not in only]


def page(source, target, static, moving=None):
    """Execute one notebook and write it to ``target``."""
    with Runner(environment()) as runner:
        _execute_page(runner, source, target, static, moving)


def _execute_page(runner, source, target, static, moving):
    """Execute one notebook by a runner that pages share."""
    notebook = nbformat.read(source, as_version=4)
    if any(cell.cell_type == "code" for cell in notebook.cells):
        with tempfile.TemporaryDirectory(prefix="page-") as folder:
            _run(runner, notebook, source.stem, folder, Path(static).resolve(), moving)
    _annotate_cells(notebook)
    nbformat.write(notebook, target)


def _run(runner, notebook, name, folder, static, moving):
    """Execute the notebook, with the solutions between its cells, which a reader does not see."""
    cells = [("set-up", _registration(static, moving), None)]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cells.append((cell.id, cell.source, cell))
            checked = CHECK.match(cell.source)
            if checked and exercise(checked[1]).solution:  # graded work has none
                cells.append((f"the solution behind {cell.id}", _checked_solution(exercise(checked[1])), None))
    try:
        made = runner.run([source for _, source, _ in cells], folder, _record_folders(folder))
    except CellError as error:
        raise PageError(f"{name}, cell {cells[error.place][0]}:\n{error}") from None
    for (_, _, cell), outputs in zip(cells, made, strict=True):
        if cell is not None:
            cell.outputs = [nbformat.from_dict(output) for output in outputs]
    notebook.metadata.language_info = {"name": "python", "pygments_lexer": "ipython3"}  # not this machine's version


def _checked_solution(task):
    """Return code that runs and checks a solution, so that the book shows no solution that its check refuses."""
    task = task.with_draw(draw_number(task.id, STUDENT))
    return f'{task.solution}\n\nassert check("{task.id}", {task.function_name}).correct, "the solution is refused"'


def _registration(static, moving):
    """Return the line that prepares the process and defines no name in it."""
    return f"from course.publish.book.formatters import register; register(get_ipython(), {str(static)!r}, {moving!r}); del register"


def environment():
    """Return the environment without personal settings: no record, no individual numbers, a fixed order of sets."""
    paths = [str(COURSE), str(COURSE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("CHIP2CLUSTER_", "JUPYTERHUB_"))},
        "CHIP2CLUSTER_STUDENT": STUDENT,
        "CHIP2CLUSTER_VALUES_KEY": "00",
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONHASHSEED": "0",
    }


def _record_folders(folder):
    """Return the environment variables for a page's record and IPython profile."""
    return {"CHIP2CLUSTER_HOME": str(Path(folder, "record")), "IPYTHONDIR": str(Path(folder, "ipython"))}


def _annotate_cells(notebook):
    """Hide set-up code, add an anchor to each exercise and explorer, and number the executed cells."""
    count = 0
    notebook.cells = [cell for cell in notebook.cells if cell.id != FOR_A_KERNEL]
    for position, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        count += 1
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
        if cell.id == "setup":
            if not cell.outputs:
                _tag(cell, "hide-input")
                cell.metadata.mystnb = {"code_prompt_show": FOLDED, "code_prompt_hide": FOLDED}
        elif SHOWN.fullmatch(cell.source):
            _tag(cell, "remove-input")
            if EXPLORER.match(cell.source):
                _name_output(cell)
        elif checked := CHECK.match(cell.source):
            _add_anchor(notebook.cells[:position], anchor("exercise", checked[1]))


def _name_output(cell):
    """Give the HTML of an explorer the fragment by which JupyterLab finds its cell."""
    for output in cell.outputs:
        if "text/html" in output.get("data", {}):
            output.data["text/html"] = f'<span id="cell-id={cell.id}"></span>{output.data["text/html"]}'
            return


def _add_anchor(before, label):
    """Add a target before the heading of the exercise, so that links can lead there."""
    for cell in reversed(before):
        if cell.cell_type == "markdown":
            cell.source = re.sub(r"^(?=#+ Exercise )", f"({label})=\n", cell.source, count=1, flags=re.MULTILINE)
            return


def _tag(cell, tag):
    cell.metadata.tags = [*cell.metadata.get("tags", ()), tag]
