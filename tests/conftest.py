"""One browser for all tests of a process: two at once would be one too many for Playwright."""

import os
import shutil

import pytest
from hypothesis import settings

# How long an example takes says something about the machine, not about the code.
settings.register_profile("ours", deadline=None)
settings.load_profile("ours")

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--force-color-profile=srgb"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@pytest.fixture(scope="session")
def browser():
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        message = "NO BROWSER TESTED: no Chromium on the path (looked for " + ", ".join(BROWSERS) + ")"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()
