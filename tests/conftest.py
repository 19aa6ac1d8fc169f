"""One browser for all tests of a process, and both processors busy to the end."""

import gc
import os
import re
import shutil
from collections import Counter

import pytest
from hypothesis import settings

from tests import sampling, sandbox, tables

# The time of one example depends on the machine, so no example has a deadline.
# The fixed sample draws the same examples every time; other samples draw from a seed that the header prints.
settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=15)
settings.register_profile("day", database=None, deadline=None, max_examples=15)
settings.register_profile("all", database=None, deadline=None, max_examples=500)

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

# The reason with which a test is skipped for a tool that can be installed.
MISSING_TOOL = re.compile("^NO .* TESTED")

# On a busy machine a browser can lose a key or stand still for minutes. A wait that ran out is tried once more, and the
# output says so; whatever else fails has failed.
WAITED_IN_VAIN = [r"^TimeoutError: ", r"^AssertionError: (Page|Locator|Title) expected"]

# What takes seconds a test comes first: those with costly fixtures, then those that another worker can take over.
SLOW = (
    "tests/notebooks/test_scaffold",
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

# Numbers of one's own, hidden cases and scenarios follow from these two; each machine would have others.
os.environ["CHIP2CLUSTER_STUDENT"] = "tester"
os.environ["CHIP2CLUSTER_SECRET"] = "a secret of the tests alone, the same on each machine"

# Imported modules and collected tests stay to the end, so the garbage collector need not visit them again and again.
gc.disable()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


def pytest_addoption(parser):
    parser.addoption(
        "--row", default="", help="of tests over a table, try only rows whose description contains this text"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Choose the examples of Hypothesis by the sample: its plugin reads the seed after this."""
    try:
        sample, _ = sampling.chosen(), sampling.part([])
    except ValueError as problem:
        raise pytest.UsageError(str(problem)) from None
    tables.chosen = config.option.row
    fixed = sample == sampling.FIXED
    settings.load_profile("fixed" if fixed else "all" if sample == sampling.ALL else "day")
    if not fixed and config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = "0" if sample == sampling.ALL else sample.replace("-", "")


def pytest_report_header(config):
    seed = config.option.hypothesis_seed
    repeat = [f"SAMPLE={sampling.chosen()}", *(f"PART={value}" for value in [os.environ.get(sampling.PART)] if value)]
    return f"sample: {' '.join(repeat)} make test takes the same cases again" + (f"; seed {seed}" if seed else "")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Examples stand in the package. To look for them in every test takes as long as to collect the tests."""
    found = yield
    return [one for one in found if type(one) is pytest.Module]


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem():
    """Keep a sample of the cases of a test that is marked ``sampled``."""
    made = yield
    if isinstance(made, list) and made and (mark := made[0].get_closest_marker("sampled")):
        return sampling.sampled(made, *mark.args)
    return made


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    def place(item):
        return next((at for at, start in enumerate(SLOW) if item.nodeid.startswith(start)), len(SLOW))

    # Neighbors share fixtures and take about as long, so every part gets some of each.
    items[:] = sampling.part(items)
    items.sort(key=place)
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=WAITED_IN_VAIN))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if item.get_closest_marker("sandbox") and sandbox.missing():
        pytest.skip(sandbox.missing())


def left_out(reporter):
    """Return the skipped tests of a run by the reason, each as its file and name."""
    reasons = {}
    for report in reporter.stats.get("skipped", ()):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons.setdefault(reason.removeprefix("Skipped: "), []).append(report.nodeid)
    return reasons


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter):
    """List what was left out, by reason and file, as the last block of a run."""
    reasons = left_out(terminalreporter)
    if not reasons:
        return
    terminalreporter.section("left out on this machine")
    for reason, names in sorted(reasons.items()):
        terminalreporter.line(f"{reason} ({len(names)} tests)")
        for file, number in sorted(Counter(name.partition("::")[0] for name in names).items()):
            terminalreporter.line(f"    {file} ({number})")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """With ``COMPLETE=1`` a run fails if a tool was missing that a test needs."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("COMPLETE") and reporter and not session.exitstatus:
        missing = [reason for reason in left_out(reporter) if MISSING_TOOL.search(reason)]
        if missing:
            reporter.line(f"\nCOMPLETE=1, but left out: {'; '.join(sorted(missing))}", red=True)
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


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
    """A browser on a system with few, wide fonts; Playwright cannot run two at once."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"NO BROWSER TESTED: install your system's chromium package (looked for {', '.join(BROWSERS)})")
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
