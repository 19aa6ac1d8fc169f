"""What a screen reader gets from an explorer: names that stay, and one sentence when the hand rests."""

import pytest

from tests.browser.conftest import clear, slider, wait_for

# Writes down everything that the live region says.
LISTEN = """(view) => {
    const region = view.querySelector('[aria-live]');
    window.said = [];
    new MutationObserver(() => region.textContent && window.said.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
}"""


@pytest.fixture(scope="module")
def view(lab, desk):
    desk.set_viewport_size({"width": 1440, "height": 900})
    lab.notebook(desk, "from chip2cluster import explore\nexplore.roofline()").open().run_all()
    view = desk.get_by_role("group", name="Roofline explorer")
    view.get_by_role("img").wait_for()
    yield view
    clear(desk)


def test_one_sentence_is_spoken_when_the_hand_rests(view):
    view.evaluate(LISTEN)
    slider(view).focus()
    for _ in range(8):
        view.page.keyboard.press("ArrowRight")
        view.page.wait_for_timeout(150)  # the pace of a finger, faster than the rest that the region waits for
    wait_for(view, f"At batch {slider(view).get_attribute('aria-valuetext').removesuffix(' tokens')} ")
    view.page.wait_for_function("window.said.length")
    view.page.wait_for_timeout(1000)  # a second sentence would have come by now
    assert view.page.evaluate("window.said") == [view.locator(".c2c-sentence").text_content()]


def test_the_name_of_a_slider_does_not_have_its_value(view):
    for _ in range(2):
        tree = view.aria_snapshot()
        assert 'slider "Batch in decode"' in tree
        view.page.keyboard.press("ArrowRight")


def test_the_fold_is_named_without_its_sign(view):
    names = view.page.context.new_cdp_session(view.page).send("Accessibility.getFullAXTree")["nodes"]
    folds = [node for node in names if node.get("role", {}).get("value") == "DisclosureTriangle"]
    assert [node["name"]["value"] for node in folds] == ["More"]
