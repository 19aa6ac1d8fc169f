"""What else a notebook shows in the real JupyterLab: other pictures, errors, the prediction form."""

import pytest

from tests.browser.conftest import slider, wait_for

PREDICTION = "from chip2cluster import predict\npredict.ask('roofline.faster_chip')"


def test_a_picture_in_one_piece_is_shown_too(lab, page):
    cell = (
        "from dataclasses import replace\nfrom chip2cluster import explore\n"
        "class Whole(explore.Roofline):\n"
        "    def frame(self, values):\n"
        "        frame = super().frame(values)\n"
        "        return replace(frame, picture=replace(frame.picture, layers=None))\n"
        "Whole()"
    )
    lab.notebook(page, cell).open().run_all()
    view = page.get_by_role("group", name="Roofline explorer")
    image = view.get_by_role("img")
    image.wait_for()
    whole = "(host) => host.shadowRoot.querySelector('svg:last-child').textContent"  # behind it there are colours alone
    assert "2.0 of 312 TFLOP/s" in image.evaluate(whole) and "ridge 153 FLOP/byte" in image.evaluate(whole)
    slider(view).focus()
    page.keyboard.press("End")
    wait_for(view, "At batch 4,096 ")
    assert "all of 312 TFLOP/s" in image.evaluate(whole)
    assert image.get_attribute("aria-label").startswith("Compute-bound: all of 312 TFLOP/s.")


def test_the_server_sends_what_a_kernel_answers_at_once(lab):
    """Nagle's algorithm would hold each small packet back for about 40 ms."""
    assert "chip2cluster.serverextension | extension was successfully loaded" in lab.log()


def test_an_error_in_the_model_is_shown_and_the_view_lives_on(lab, page):
    cell = (
        "from chip2cluster import explore\n"
        "class Fragile(explore.Roofline):\n"
        "    def frame(self, values):\n"
        "        if values['batch'] == 2: raise ArithmeticError('two is too many')\n"
        "        return super().frame(values)\n"
        "Fragile()"
    )
    lab.notebook(page, cell).open().run_all()
    view = page.get_by_role("group", name="Roofline explorer")
    slider(view).focus()
    page.keyboard.press("ArrowRight")
    view.get_by_role("alert").get_by_text("two is too many").wait_for()
    assert slider(view).get_attribute("aria-valuetext") == "1 token"
    page.keyboard.press("End")
    wait_for(view, "At batch 4,096 ")
    assert not view.locator(".c2c-error").inner_text()


def test_a_prediction_is_frozen_through_reruns_and_restarts(lab, page):
    notebook = lab.notebook(page, PREDICTION).open().run_all()
    form = page.get_by_role("group", name="Prediction")
    field, commit = form.get_by_label("Your guess"), form.get_by_role("button", name="Commit")
    field.click()
    page.keyboard.type("40 %")  # letters and digits must not reach the notebook's shortcuts
    page.keyboard.press("Enter")
    form.get_by_role("alert").get_by_text("the answer is wanted in tokens/s, not in '%'").wait_for()
    assert "16 GB" not in page.content() and "16 GB" not in notebook.save().__repr__()
    field.fill("120")
    commit.click()
    wait_for(form, "It is 40 tokens/s. You were 3.0 times too high: half an order of magnitude.")
    assert not form.locator(".c2c-error").inner_text()

    def frozen():
        wait_for(form, "You were 3.0 times too high")
        assert field.input_value() == "120" and field.is_disabled()
        assert form.get_by_role("button", name="Committed").is_disabled()

    frozen()
    notebook.run_all()
    frozen()
    notebook.restart_kernel()
    notebook.run_all()
    frozen()


@pytest.mark.parametrize("key", ["Enter", "Tab Enter"], ids=["field", "button"])
def test_keyboard_goes_on_after_a_commit(lab, page, key):
    """The disabled field or button would leave the focus on the page's body, where Shift+Enter does nothing."""
    lab.notebook(page, PREDICTION, "print('the next', 'cell')").open().run_all()
    page.get_by_text("the next cell").wait_for()
    form = page.get_by_role("group", name="Prediction")
    form.get_by_label("Your guess").fill("120")
    for one in key.split():
        page.keyboard.press(one)
    wait_for(form, "It is 40 tokens/s.")
    answer = form.locator(".c2c-sentence")
    assert answer.evaluate("node => node === document.activeElement")
    assert answer.evaluate("node => node.getBoundingClientRect().bottom <= innerHeight")
    before = page.locator(".jp-Cell.jp-mod-active").evaluate("node => [...node.parentNode.children].indexOf(node)")
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(
        "before => { const node = document.querySelector('.jp-Cell.jp-mod-active');"
        " return [...node.parentNode.children].indexOf(node) > before }",
        arg=before,
    )
