"""In JupyterLab's dark theme a picture is drawn for the dark, live and as a still, and back again by day."""

import pytest

from chip2cluster.draw import palette
from tests.browser.conftest import clear
from tests.waiting import wait_until

SOURCE = """import os
from chip2cluster import draw, explore
from IPython.display import HTML, display
display(explore.roofline())
os.environ["CHIP2CLUSTER_STILL"] = "1"
display(HTML(explore.roofline().still()))"""
STILL = ".c2c-still img:visible"  # that behind the live view is not
# Colours of the letters and of the paper behind them, and the pixel in a corner of the still.
LIVE = """() => { const host = document.querySelector('.c2c-image'), words = [...host.shadowRoot.querySelectorAll('text')];
    return [[...new Set(words.map((text) => getComputedStyle(text).fill))], getComputedStyle(host.parentNode).backgroundColor,
        getComputedStyle(host.closest('.jp-Notebook')).backgroundColor, getComputedStyle(host.closest('.c2c')).colorScheme]; }"""


def rgb(colour):
    return f"rgb({', '.join(map(str, bytes.fromhex(colour[1:])))})"


@pytest.fixture(scope="module")
def shown(lab, desk):
    lab.notebook(desk, SOURCE).open().run_all()
    desk.locator(".c2c-image").wait_for()
    desk.locator(STILL).wait_for()
    yield desk
    theme(desk, "JupyterLab Light")
    clear(desk)


def theme(page, name):
    page.evaluate("(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", name)
    page.wait_for_function(
        "(light) => document.body.dataset.jpThemeLight === light", arg=str(name == "JupyterLab Light").lower()
    )


@pytest.mark.parametrize("name, look", [("JupyterLab Dark", palette.DARK.get), ("JupyterLab Light", str)])
def test_a_picture_follows_the_theme(shown, name, look):
    theme(shown, name)
    letters, paper, ground, scheme = shown.evaluate(LIVE)
    assert paper == ground, "the paper of a live picture is that of the notebook"
    assert (scheme == "dark") == (name == "JupyterLab Dark"), "tracks of sliders follow"
    assert set(letters) == {rgb(look(colour)) for colour in (palette.INK, palette.MUTED, palette.HAND)}
    wanted = tuple(bytes.fromhex(look(palette.PAPER)[1:]))
    # The colors of a theme change gradually.
    wait_until(lambda: corner(shown) == wanted, seconds=30, what=lambda: f"{wanted}, seen {corner(shown)}")


def corner(page):
    """The colour of a still's paper, as it is on the screen."""
    from io import BytesIO

    from PIL import Image

    picture = Image.open(BytesIO(page.locator(STILL).screenshot())).convert("RGB")
    return picture.getpixel((picture.width - 4, picture.height - 4))


def test_paper_is_light_in_the_dark(shown):
    theme(shown, "JupyterLab Dark")
    shown.emulate_media(media="print")
    assert shown.evaluate(LIVE)[1] == rgb(palette.PAPER)
    assert rgb(palette.INK) in shown.evaluate(LIVE)[0]
    shown.emulate_media(media="screen")
