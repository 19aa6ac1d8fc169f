// Lets a process run: a button that moves a slider on by itself, one for a single step, and how fast; and what moves
// from one frame to the next is seen on its way. Where something comes from, Python has said.
//
// In the SVG of a picture: data-from="dx dy" came from there to its place; data-path="x,y x,y ..." is seen only on its way
// along these points; data-late appears when the others have arrived.

const SPEEDS = [["½ ×", 2], ["1 ×", 1], ["2 ×", 0.5], ["4 ×", 0.25]]; // what is written, and what a step takes of its time
const TRAVEL = 0.75; // of a step, the rest of which stands still
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// `motion.ms` is how long the next frame moves; a hand that moves a control sees the new frame at once.
export function animate(drawn, ms) {
  if (!ms || calm.matches) return;
  const go = (node, frames, easing) => node.animate(frames, { duration: ms, easing });
  const to = (x, y) => `translate(${x}px, ${y}px)`;
  for (const node of drawn.querySelectorAll("[data-from]")) go(node, [{ transform: to(...node.dataset.from.split(" ")) }, { transform: to(0, 0) }], "ease-in-out");
  for (const node of drawn.querySelectorAll("[data-path]")) {
    const way = node.dataset.path.split(" ").map((point) => ({ transform: to(...point.split(",")), opacity: 1 }));
    go(node, way, "ease-in-out");
  }
  for (const node of drawn.querySelectorAll("[data-late]")) go(node, [{ opacity: 0 }, { opacity: 0, offset: 0.8 }, { opacity: 1 }], "linear");
}

// The buttons before and after a slider. `step` is how long a step takes, ms; `moved` reports the slider's new place.
export function makePlay(entry, field, step, motion, moved) {
  const button = (className, text) => {
    const node = document.createElement("button");
    Object.assign(node, { type: "button", className, textContent: text });
    entry.insertBefore(node, field);
    return node;
  };
  entry.classList.add("c2c-playable");
  const play = button("c2c-play", "Play"), next = button("c2c-step", "Step");
  const speed = document.createElement("select");
  speed.className = "c2c-speed";
  speed.setAttribute("aria-label", "Speed");
  speed.append(...SPEEDS.map(([text, share]) => new Option(text, share, share === 1, share === 1)));
  entry.append(speed);
  let timer = 0;
  const ms = () => step * Number(speed.value);
  const last = () => Number(field.value) >= Number(field.max);
  const go = (place) => {
    field.value = place;
    motion.ms = place ? TRAVEL * ms() : 0;
    moved();
  };
  // While it plays, nothing is read out; the end is.
  const say = () => {
    play.textContent = timer ? "Pause" : "Play";
    play.closest(".c2c")?.classList.toggle("c2c-playing", timer !== 0);
  };
  const stop = () => { clearInterval(timer); timer = 0; say(); };
  const advance = () => {
    if (!play.isConnected || last()) return stop();
    go(Number(field.value) + 1);
    if (last()) stop();
  };
  const start = () => { timer = setInterval(advance, ms()); say(); };
  play.addEventListener("click", () => {
    if (timer) return stop();
    if (last()) go(0);
    start();
  });
  next.addEventListener("click", () => { stop(); go(last() ? 0 : Number(field.value) + 1); });
  speed.addEventListener("change", () => { if (timer) { clearInterval(timer); start(); } });
  field.addEventListener("input", stop);
}
