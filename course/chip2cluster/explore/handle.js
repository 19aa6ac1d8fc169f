// Lets a pointer take hold of a picture: a grip lies on the mark that stands for a control, and setting it down somewhere
// asks for the option whose place is nearest. Python has computed the places; nothing is computed here but distances.
//
// A handle: { control, along: "x" | "y" | "path", points: [[x, y] or null for each option] }, in px of the picture.

const SVG = "http://www.w3.org/2000/svg";
const REACH = 22; // px: half of the target of a finger
export const GRIP_SHEET = `.c2c-grip { cursor: grab; pointer-events: all; } .c2c-grip, .c2c-grip * { touch-action: none; }
  .c2c-grip[data-along="x"] { cursor: ew-resize; } .c2c-grip[data-along="y"] { cursor: ns-resize; }
  .c2c-grip.c2c-held { cursor: grabbing; }
  .c2c-grip :is(circle, line) { fill: none; stroke: none; }
  .c2c-grip :is(.c2c-ring, .c2c-arrows) { visibility: var(--c2c-grips, visible); }
  .c2c-grip .c2c-ring { stroke: #e42536; stroke: light-dark(#e42536, #f8444a); stroke-width: 1.5; stroke-opacity: 0.55; }
  .c2c-grip .c2c-arrows { fill: none; stroke: #e42536; stroke: light-dark(#e42536, #f8444a); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
  .c2c-grip:is(:hover, .c2c-held) .c2c-ring { stroke-opacity: 1; stroke-width: 2.5; fill: #e42536; fill-opacity: 0.14; }`;
// The ways that lead on, as the grip shows them.
const ARROWS = { x: "M-15,-4l-4,4l4,4M15,-4l4,4l-4,4", y: "M-4,-15l4,-4l4,4M-4,15l4,4l4,-4", path: "" };

function shape(name, parent, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  parent.append(node);
  return node;
}

// The option nearest to a place; of two that lie on one another, the one nearer to the present option.
export function nearest({ points, along }, x, y, present) {
  let best = present, least = Infinity;
  points.forEach((point, option) => {
    if (!point) return;
    const far = Math.hypot(along === "y" ? 0 : point[0] - x, along === "x" ? 0 : point[1] - y);
    const score = far + 1e-3 * Math.abs(option - present);
    if (score < least) [best, least] = [option, score];
  });
  return best;
}

// The grips of one picture, in a layer of their own above it. `take(name, option)` moves a control, `drop(name)` says
// that the hand let go of it.
export function makeGrips(parent, take, drop) {
  const layer = shape("svg", parent, { class: "c2c-grips" });
  const grips = new Map();
  let width = 1, height = 1;

  const place = (grip, option) => {
    const point = grip.handle.points[option];
    grip.node.style.display = point ? "" : "none";
    if (point) grip.node.setAttribute("transform", `translate(${point[0]} ${point[1]})`);
    grip.option = option;
  };
  const where = (event) => {
    const box = layer.getBoundingClientRect();
    return [((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * height) / box.height];
  };

  function makeGrip(name, along) {
    const node = shape("g", layer, { class: "c2c-grip", "data-control": name, "data-along": along });
    const grip = { node, handle: null, option: 0, held: null };
    const title = shape("title", node, {});
    shape("circle", node, { class: "c2c-target", r: REACH });
    shape("circle", node, { class: "c2c-ring", r: 11 });
    shape("path", node, { class: "c2c-arrows", d: ARROWS[along] });
    // Not every browser asks an element of an SVG for its touch-action before it scrolls.
    node.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    node.addEventListener("pointerdown", (event) => {
      if (event.button || grip.held) return;
      event.preventDefault(); // no text is selected, and nothing scrolls
      node.setPointerCapture(event.pointerId);
      const [x, y] = where(event), point = grip.handle.points[grip.option];
      grip.held = { id: event.pointerId, x: point[0] - x, y: point[1] - y };
      node.classList.add("c2c-held");
    });
    node.addEventListener("pointermove", (event) => {
      if (grip.held?.id !== event.pointerId) return;
      const [x, y] = where(event);
      const option = nearest(grip.handle, x + grip.held.x, y + grip.held.y, grip.option);
      if (option === grip.option) return;
      place(grip, option);
      take(name, option);
    });
    const end = (event) => {
      if (grip.held?.id !== event.pointerId) return;
      grip.held = null;
      node.classList.remove("c2c-held");
      drop(name);
    };
    node.addEventListener("pointerup", end);
    node.addEventListener("pointercancel", end);
    return { grip, name: (label) => { if (title.textContent !== label) title.textContent = label; } };
  }

  // `present(name)` is the option that a control has now, `label(name)` what it is called; a control that is not
  // there, or cannot be moved now, has neither.
  return (picture, present, label) => {
    ({ width, height } = picture);
    layer.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const handles = (picture.handles ?? []).filter(({ control }) => present(control) !== undefined);
    const wanted = new Set(handles.map(({ control }) => control));
    for (const [name, { grip }] of grips) if (!wanted.has(name)) { grip.node.remove(); grips.delete(name); }
    for (const handle of handles) {
      const { control, along } = handle;
      if (!grips.has(control)) grips.set(control, makeGrip(control, along));
      const { grip, name } = grips.get(control);
      grip.handle = handle;
      name(`${label(control)}: drag`);
      place(grip, present(control));
    }
  };
}
