// Opens a page at the place that its address names (…?path=03_roofline.ipynb#cell-id=ex-ridge), which the lab without a
// server forgets on its way to the page. A server's JupyterLab does this by itself.
const place = location.hash;

async function go() {
  const app = window.jupyterapp;
  const panel = app?.shell?.currentWidget;
  if (!panel?.context?.isReady || !panel.content?.setFragment) return setTimeout(go, 200);
  await panel.revealed;
  await panel.content.setFragment(place);
}

if (place) go();
