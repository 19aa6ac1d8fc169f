"""Processes that run in the book: Play, Step and speed, what moves, and the quiet forms of it."""

import re

import pytest
from playwright.sync_api import expect

from chip2cluster import explore
from tests.book.films import opened

# Everything in motion in the picture, and where a chunk is when this share of its time has passed.
MOVING = """([view, share]) => {
    const image = view.querySelector('[role=img]'), box = image.getBoundingClientRect();
    const moving = image.shadowRoot.getAnimations();
    for (const one of moving) { one.pause(); one.currentTime = share * one.effect.getTiming().duration; }
    return moving.map(({ effect: { target } }) => {
        const { x, y, width, height } = target.getBoundingClientRect();
        return { kind: Object.keys(target.dataset)[0], opacity: getComputedStyle(target).opacity,
            x: (x + width / 2 - box.x) / box.width, y: (y + height / 2 - box.y) / box.height };
    });
}"""
VEIL = """(view) => {
    const veil = view.querySelector('[role=img]').shadowRoot.querySelector('.c2c-veil');
    return getComputedStyle(veil).display === 'none' ? null : Number(veil.querySelector('line').getAttribute('x1'));
}"""
VISIBLE = """(view, words) => [...view.querySelector('[role=img]').shadowRoot.querySelectorAll('text')]
    .some((node) => node.textContent.startsWith(words) && getComputedStyle(node).visibility === 'visible')"""


def moving(view, share):
    return view.page.evaluate(MOVING, [view.element_handle(), share])


def arrive(view):
    """Let everything in motion be at its end, and wait for the frame that it leads to."""
    view.get_by_role("img").evaluate("(image) => image.shadowRoot.getAnimations().forEach((one) => one.finish())")
    coming = "(view) => view.querySelector('[role=img]').shadowRoot.querySelector('.c2c-coming')"
    for _ in range(50):
        if view.evaluate(f"(view) => !({coming})(view)"):
            return
    raise AssertionError("it does not arrive")


def visible(view, words):
    """Whether the picture shows a text that begins with these words."""
    return view.evaluate(VISIBLE, words)


def steps(view):
    return view.get_by_role("slider", name=re.compile("Steps"))


def playing(view):
    return view.evaluate("(view) => view.classList.contains('c2c-playing')")


def test_play_runs_to_the_end_and_pause_stops_it(page, films):
    page.clock.install()
    view = opened(page, films, "ring")
    view.get_by_role("button", name="Play").click()
    assert steps(view).input_value() == "2", "it starts at once"
    page.clock.run_for(1300)
    assert steps(view).input_value() == "3" and playing(view)
    view.get_by_role("button", name="Pause").click()
    page.clock.run_for(5000)
    assert steps(view).input_value() == "3" and not playing(view)
    view.get_by_label("Speed").select_option("4 ×")
    view.get_by_role("button", name="Play").click()
    page.clock.run_for(1600)
    assert steps(view).input_value() == "6" and not playing(view)
    expect(view.locator(".c2c-sentence")).to_contain_text("Step 6 of 6")
    view.get_by_role("button", name="Play").click()
    assert steps(view).input_value() == "0", "it begins again"


def test_grip_is_hidden_while_it_plays(page, films):
    view = opened(page, films, "ring")
    shown = lambda: {
        view.evaluate(f"(view) => getComputedStyle(view.querySelector('[role=img]').shadowRoot.querySelector('{part}')).visibility")
        for part in (".c2c-ring", ".c2c-arrows")
    }  # fmt: skip
    assert shown() == {"visible"}
    view.get_by_role("button", name="Play").click()
    assert shown() == {"hidden"}
    view.get_by_role("button", name="Pause").click()
    assert shown() == {"hidden"}, "the disk is still on its way"
    arrive(view)
    assert shown() == {"visible"}


def test_hand_on_the_slider_or_the_picture_stops_play(page, films):
    page.clock.install()
    view = opened(page, films, "ring")
    for key in ("End", "ArrowRight"):
        view.get_by_role("button", name="Play").click()
        assert playing(view)
        steps(view).press(key)
        assert not playing(view) and view.get_by_role("button", name="Play").is_visible()


def test_step_sends_each_chunk_from_one_rank_to_the_next(page, films):
    view = opened(page, films, "ring")
    view.get_by_role("button", name="Step").click()
    picture = explore.ring(step=2).content()["picture"]
    circles = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="18"', picture["svg"])
    ranks = [(float(x) / picture["width"], float(y) / picture["height"]) for x, y in circles]
    near = lambda place: min(
        range(4), key=lambda one: abs(ranks[one][0] - place["x"]) + abs(ranks[one][1] - place["y"])
    )
    for share, shift in ((0, 0), (0.999, 1)):
        chunks = [one for one in moving(view, share) if one["kind"] == "path"]
        assert sorted(map(near, chunks)) == [0, 1, 2, 3] and {one["opacity"] for one in chunks} == {"1"}
        assert [near(one) for one in chunks] == [(rank + shift) % 4 for rank in range(4)]
    arrive(view)
    assert view.evaluate("(view) => getComputedStyle(view.querySelector('[role=img]').shadowRoot.querySelector('[data-path]')).opacity") == "0"  # fmt: skip


@pytest.mark.parametrize("speed", ["½ ×", "1 ×", "2 ×", "4 ×"])
def test_messages_pass_over_the_old_frame(page, films, speed):
    page.clock.install()
    view = opened(page, films, "ring")
    view.get_by_label("Speed").select_option(speed)
    old, new = (explore.ring(step=step).current.table.rows[0][2] for step in (1, 2))
    cell = view.get_by_role("table").locator("tbody tr").first
    view.get_by_role("button", name="Play").click()
    assert len([one for one in moving(view, 0.5) if one["kind"] == "path"]) == 4, "they start at once"
    assert visible(view, "Step 1 of 6") and not visible(view, "Step 2 of 6")
    assert old in cell.inner_text() and "Step 1" in view.locator(".c2c-sentence").inner_text()
    arrive(view)
    expect(cell).to_contain_text(new)
    assert visible(view, "Step 2 of 6") and not visible(view, "Step 1 of 6")
    expect(view.locator(".c2c-sentence")).to_contain_text("Step 2 of 6")


def test_arrows_of_a_step_are_seen_while_its_messages_move(page, films):
    view = opened(page, films, "ring")
    view.get_by_role("button", name="Step").click()
    moving(view, 0.5)
    arrows = """(view) => [...view.querySelector('[role=img]').shadowRoot.querySelectorAll('[data-route] text')]
        .filter((node) => getComputedStyle(node).visibility === 'visible' && node.textContent.startsWith('c')).map((node) => node.textContent)"""
    picture = explore.ring(step=2).content()["picture"]["svg"]
    route = picture[picture.index("data-route") :]
    assert view.evaluate(arrows) == re.findall(r">(c\d)<", route)[:4]


def test_slider_drag_and_reset_show_frames_at_once(page, films):
    view = opened(page, films, "ring")
    view.get_by_role("button", name="Step").click()
    assert moving(view, 0.5)
    steps(view).press("ArrowRight")
    assert not moving(view, 0.5)
    view.get_by_role("button", name="Step").click()
    view.get_by_role("button", name="Reset").click()
    assert not moving(view, 0.5)


def test_reduced_motion_shows_frames_at_once(page, films):
    page.emulate_media(reduced_motion="reduce")
    page.clock.install()
    view = opened(page, films, "ring")
    view.get_by_role("button", name="Step").click()
    assert steps(view).input_value() == "2" and not moving(view, 0.5)
    view.get_by_role("button", name="Play").click()
    page.clock.run_for(1100)
    assert steps(view).input_value() == "3" and not moving(view, 0.5)
    assert visible(view, "Step 3 of 6")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_run_that_is_drawn_whole_passes_behind_a_veil(page, films, motion):
    page.emulate_media(reduced_motion=motion)
    page.clock.install()
    view = opened(page, films, "warps")
    left, _, right, _ = explore.warps().content()["picture"]["sweep"]
    before = view.get_by_role("img").get_attribute("aria-label")
    assert view.evaluate(VEIL) is None
    view.get_by_role("button", name="Play").click()
    seen = []
    for _ in range(7):
        page.clock.run_for(1000)
        seen.append(view.evaluate(VEIL))
    assert seen == sorted(seen) and left < seen[0] < seen[-1] < right
    view.get_by_role("button", name="Pause").click()
    paused = view.evaluate(VEIL)
    page.clock.run_for(3000)
    assert view.evaluate(VEIL) == paused
    view.get_by_role("button", name="Step").click()
    assert view.evaluate(VEIL) > paused
    view.get_by_role("button", name="Play").click()
    page.clock.run_for(9000)
    assert view.evaluate(VEIL) is None and view.get_by_role("button", name="Play").is_visible()
    assert view.get_by_role("img").get_attribute("aria-label") == before
