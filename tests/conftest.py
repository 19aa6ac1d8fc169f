"""One browser for all tests of a process, and both processors busy to the end."""

import gc
import importlib
import os
import shutil
from contextlib import suppress

import pytest
from hypothesis import settings

from tests.sampling import VARIABLE, sampled

# How long an example takes says something about the machine, not about the code.
settings.register_profile("ours", deadline=None, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("ours")

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--force-color-profile=srgb"]
# No page of a test lives long enough to earn back what it takes to optimise its scripts; one that is timed may.
SHORT_LIVED = "--js-flags=--no-opt --no-maglev"
# The first one is the same browser without windows, and takes half the time.
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)

# What takes seconds a test comes first: those with costly fixtures, then those that another worker can take over.
SLOW = (
    "tests/notebooks/test_new_chapter",
    "tests/slurm/",
    "tests/hub/test_hub",
    "tests/browser/",
    "tests/book/",
    "tests/pictures/",
    "tests/grading/test_nbgrader",
    "tests/grading/test_writer",
    "tests/grading/test_pipeline",
    "tests/grading/",
    "tests/exercises/",
    "tests/notebooks/test_running",
    "tests/notebooks/test_notebooks",
)


# What is imported and collected is there to the end: whoever looks for garbage need not go through it again and again.
gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Each worker starts to import at another place: what the others began with it finds compiled.

    In a new checkout all of them would else compile every test, side by side. What cannot be imported, collecting reports.
    """
    if not hasattr(session.config, "workerinput"):
        return
    root = session.config.rootpath
    files = sorted(file for place in session.config.args for file in (root / place).rglob("test_*.py"))
    worker, workers = (session.config.workerinput[key] for key in ("workerid", "workercount"))
    start = len(files) * int(worker.removeprefix("gw")) // workers
    for file in files[start:] + files[:start]:
        with suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(root).with_suffix("").parts))


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


def pytest_report_header():
    chosen = os.environ[VARIABLE]
    return f"sample: {chosen} ({VARIABLE}={chosen} takes the same cases again, {VARIABLE}=all every one)"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Examples stand in the package. To look for them in every test takes as long as to collect the tests."""
    found = yield
    return [one for one in found if type(one) is pytest.Module]


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem():
    """Of the cases of a test that is marked ``sampled``, its sample."""
    made = yield
    if isinstance(made, list) and made and (mark := made[0].get_closest_marker("sampled")):
        return sampled(made, *mark.args)
    return made


def pytest_collection_modifyitems(items):
    def place(item):
        return next((at for at, start in enumerate(SLOW) if item.nodeid.startswith(start)), len(SLOW))

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Let a worker that is done take tests from one that is not: by default the slow tests would all be one worker's."""
    if config.option.dist == "load":
        from xdist.scheduler import WorkStealingScheduling

        return WorkStealingScheduling(config, log)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """On a system with few fonts, and these wide. Two browsers at once would be one too many for Playwright."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        message = "NO BROWSER TESTED: no Chromium on the path (looked for " + ", ".join(BROWSERS) + ")"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    from playwright.sync_api import sync_playwright

    from tests.pictures import fonts

    system = fonts.configuration(tmp_path_factory.mktemp("fonts"), fonts.BUNDLED)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=path, args=[*FLAGS, SHORT_LIVED], env={**os.environ, **system}
        )
        yield chromium
        chromium.close()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """One more than there are processors: many tests wait for a browser or for a limit to run out."""
    return (os.cpu_count() or 1) + 1
