// Opens a page at the place that its address names (…?path=03_roofline.ipynb#cell-id=ex-ridge), which the lab without a
// server forgets on its way to the page. A server's JupyterLab does this by itself.
const place = location.hash, AGAIN = 500, TIMES = 12; // ms; cells above that are drawn late push the place away
let reading = false;
for (const sign of ["wheel", "pointerdown", "keydown"]) addEventListener(sign, () => { reading = true; }, { capture: true, once: true });

const sleep = (time) => new Promise((done) => setTimeout(done, time));

async function go() {
  let panel;
  while (!(panel = window.jupyterapp?.shell?.currentWidget)?.context?.isReady || !panel.content?.setFragment) await sleep(200);
  await panel.revealed;
  for (let time = 0; time < TIMES && !reading; time++) {
    await panel.content.setFragment(place);
    await sleep(AGAIN);
  }
}

if (place) go();
