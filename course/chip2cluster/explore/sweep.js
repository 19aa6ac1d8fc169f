// Lets a run that is drawn whole pass from left to right: what has not happened yet is veiled. The frame stays the same.
// `picture.sweep` is the field [left, top, right, bottom] in px of the picture; Python has said where it lies.

const LASTS = 8000; // ms, from end to end
const STEPS = 24; // of the Step button, and where nothing is to move smoothly
const SVG = "http://www.w3.org/2000/svg";
export const VEIL_SHEET = `.c2c-veil rect { fill: #fff; fill: light-dark(#fff, #14171d); opacity: 0.9; }
  .c2c-veil line { stroke: #1f2430; stroke: light-dark(#1f2430, #e8ebf0); stroke-width: 1.5; }`;

// The buttons, and the function that shows the field of a picture. `parent` is where the veil lies, above the picture.
export function makeSweep(parent, buttons) {
  const layer = document.createElementNS(SVG, "svg"), veil = document.createElementNS(SVG, "rect"), edge = document.createElementNS(SVG, "line");
  layer.setAttribute("class", "c2c-veil");
  layer.append(veil, edge);
  parent.append(layer);
  const box = document.createElement("div");
  box.className = "c2c-control c2c-run";
  box.innerHTML = '<span class="c2c-name">The run</span><div class="c2c-entry"><button type="button" class="c2c-play">Play</button><button type="button" class="c2c-step">Step</button></div>';
  const [play, step] = box.querySelectorAll("button");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let field = null, share = 1, from = 0, request = 0;

  const draw = () => {
    layer.style.display = field && share < 1 ? "" : "none";
    if (!field) return;
    const [left, top, right, bottom] = field, x = left + (right - left) * share;
    for (const [node, values] of [[veil, { x, y: top, width: right - x + 1, height: bottom - top }], [edge, { x1: x, x2: x, y1: top, y2: bottom }]])
      for (const [name, value] of Object.entries(values)) node.setAttribute(name, value);
  };
  const stop = () => { cancelAnimationFrame(request); request = 0; play.textContent = "Play"; };
  const go = (to) => {
    share = Math.min(1, to);
    draw();
    if (share >= 1) stop();
  };
  const tick = (now) => {
    if (!play.isConnected) return stop();
    const passed = (now - from) / LASTS;
    go(calm.matches ? Math.floor(passed * STEPS) / STEPS : passed);
    if (request) request = requestAnimationFrame(tick);
  };
  play.addEventListener("click", () => {
    if (request) return stop();
    if (share >= 1) go(0);
    from = performance.now() - share * LASTS;
    play.textContent = "Pause";
    request = requestAnimationFrame(tick);
  });
  step.addEventListener("click", () => { stop(); go((share >= 1 ? 0 : share) + 1 / STEPS); });

  return (picture, changed) => {
    field = picture.sweep ?? null;
    if (field && !box.parentNode) buttons(box);
    box.hidden = !field;
    layer.setAttribute("viewBox", `0 0 ${picture.width} ${picture.height}`);
    if (!field || (changed && !request)) { stop(); share = 1; }
    draw();
  };
}
