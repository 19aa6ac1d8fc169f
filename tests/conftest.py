"""One browser for all tests of a process, and both processors busy to the end."""

import contextlib
import gc
import importlib
import os
import shutil

import pytest
from hypothesis import settings

from tests.sampling import VARIABLE, sampled

# How long an example takes says something about the machine, not about the code.
settings.register_profile("ours", deadline=None, max_examples=15)
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


# Every process with NumPy would make threads for matrices that no test is large enough for; set before the first one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What is imported and collected is there to the end: whoever looks for garbage need not go through it again and again.
gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Each worker of a whole run reads its share of the tests first: what one has compiled, the others find compiled."""
    config = session.config
    if config.args_source is not config.ArgsSource.TESTPATHS or not (worker := os.environ.get("PYTEST_XDIST_WORKER")):
        return
    tests = sorted(path.relative_to(config.rootpath) for path in config.rootpath.glob("tests/**/test_*.py"))
    for path in tests[int(worker.removeprefix("gw")) :: int(os.environ["PYTEST_XDIST_WORKER_COUNT"])]:
        # What cannot be imported is said when it is collected.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(path.with_suffix("").parts))


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


@pytest.fixture
def own_record(tmp_path, monkeypatch):
    """A learner's record that is empty, and nobody's."""
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "record"))


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
