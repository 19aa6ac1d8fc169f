"""The same roofline by other libraries, from a key on their slider to new pixels, for the rows of `tests.browser.latency`.

Each draws two roofs' lines and one point on logarithmic axes and moves the point, which is what our explorer does at least.
Inline matplotlib draws the whole figure again, as most notebooks do. A library that is not installed has no row:
``python -m pip install plotly ipympl bqplot`` adds them.
"""

from importlib.util import find_spec

from tests.browser.conftest import clear

START = """
import numpy as np, ipywidgets as widgets
from IPython.display import display
x = np.geomspace(0.1, 3e5, 60)
y = np.minimum(312.0, 2.04 * x)
at = lambda batch: (float(batch), float(min(312.0, 2.04 * batch)))
slider = widgets.IntSlider(value=1, min=1, max=400)
"""
CELLS = {
    "inline matplotlib": (
        "matplotlib",
        ".widget-output",
        """
%matplotlib inline
import matplotlib.pyplot as plt
def draw(batch):
    plt.figure(figsize=(6, 4)); plt.loglog(x, y); plt.loglog(*[[one] for one in at(batch)], 'ro'); plt.show()
out = widgets.interactive_output(draw, {'batch': slider})
display(slider, out)
""",
    ),
    "ipympl": (
        "ipympl",
        ".jupyter-matplotlib",
        """
%matplotlib widget
import matplotlib.pyplot as plt
figure, axes = plt.subplots(figsize=(6, 4)); axes.loglog(x, y); point, = axes.loglog([1], [2.04], 'ro')
def move(change):
    point.set_data(*[[one] for one in at(change.new)]); figure.canvas.draw_idle()
slider.observe(move, 'value'); display(slider)
plt.show()
""",
    ),
    "plotly": (
        "plotly",
        ".js-plotly-plot",
        """
import plotly.graph_objects as go
figure = go.FigureWidget([go.Scatter(x=x, y=y), go.Scatter(x=[1], y=[2.04], mode='markers')])
figure.update_xaxes(type='log'); figure.update_yaxes(type='log')
def move(change):
    one = at(change.new)
    with figure.batch_update():
        figure.data[1].x, figure.data[1].y = [one[0]], [one[1]]
slider.observe(move, 'value'); display(slider, figure)
""",
    ),
    "bqplot": (
        "bqplot",
        ".bqplot",
        """
import bqplot
scales = {'x': bqplot.LogScale(), 'y': bqplot.LogScale()}
point = bqplot.Scatter(x=[1.0], y=[2.04], scales=scales)
figure = bqplot.Figure(marks=[bqplot.Lines(x=x, y=y, scales=scales), point])
def move(change):
    one = at(change.new)
    with point.hold_sync():
        point.x, point.y = [one[0]], [one[1]]
slider.observe(move, 'value'); display(slider, figure)
""",
    ),
}
MEASURE = """async ({ moves, place }) => {
  const handle = document.querySelector('.noUi-handle'), picture = document.querySelector(place);
  const frame = () => new Promise((done) => requestAnimationFrame(done)), pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const painted = async () => {
    await frame();
    const { port1, port2 } = new MessageChannel();
    await new Promise((done) => { port1.onmessage = done; port2.postMessage(0); });
  };
  let next = () => {};
  new MutationObserver(() => next()).observe(picture, { childList: true, subtree: true, attributes: true, characterData: true });
  // A canvas changes without a mutation.
  const draw = CanvasRenderingContext2D.prototype.drawImage;
  CanvasRenderingContext2D.prototype.drawImage = function (...given) { draw.apply(this, given); if (picture.contains(this.canvas) || !this.canvas.isConnected) next(); };
  const single = [];
  for (let n = 0; n < moves + 5; n++) {
    const shown = new Promise((done) => { next = done; }), start = performance.now();
    handle.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }));
    const same = await Promise.race([shown.then(() => false), pause(3000).then(() => true)]);
    await painted();
    if (n >= 5 && !same) single.push(performance.now() - start);
    await pause(160 + (n * 7) % 17);   // what follows the first change is over
  }
  return single;
}"""


def installed():
    """Names of the libraries of `CELLS` that this machine has."""
    return [name for name, (package, *_) in CELLS.items() if find_spec(package)]


def measure(lab, page, name, moves):
    """Milliseconds of each move of the slider of a library."""
    _, place, cell = CELLS[name]
    lab.notebook(page, START + cell).open().run_all()
    page.wait_for_selector(".noUi-handle")
    page.wait_for_selector(f"{place} :is(img, canvas, svg)")
    found = page.evaluate(MEASURE, {"moves": moves, "place": place})
    clear(page)
    return found
