// Lets a process run: a button that moves a slider on by itself, one for a single step, and how fast; and what moves
// from one frame to the next passes over the old frame; the new one is seen when it has arrived. Where something comes
// from, Python has said.
//
// In the SVG of a picture: data-from="dx dy" came from there to its place; data-path="x,y x,y ..." is seen only on its way
// along these points; data-route belongs to the step itself and is seen when it starts.

const SPEEDS = [["½ ×", 2], ["1 ×", 1], ["2 ×", 0.5], ["4 ×", 0.25]]; // what is written, and what a step takes of its time
const TRAVEL = 0.75; // of a step, the rest of which stands still
const AGAIN = 150; // ms that the first frame is seen before the process starts over
export const TRAVEL_SHEET = `.c2c-coming, .c2c-under :is([data-from], [data-route]) { visibility: hidden; }
  .c2c-coming :is([data-from], [data-path], [data-route]) { visibility: visible; }`;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// `motion.ms` is how long the next frame moves; a hand that moves a control sees the new frame at once.
export const moves = (drawn, ms) => ms > 0 && !calm.matches && drawn.querySelector("[data-from], [data-path]") !== null;

// Lets what moves in the SVG `drawn` pass over the SVG `under`. `arrived` is called when all of it is there; the function
// that this returns takes it away before that.
export function travel(drawn, under, ms, arrived) {
  drawn.classList.add("c2c-coming");
  under.classList.add("c2c-under");
  under.after(drawn);
  const to = (x, y) => `translate(${x}px, ${y}px)`;
  const go = (node, frames) => node.animate(frames, { duration: ms, easing: "ease-in-out" }).finished;
  const all = [
    ...[...drawn.querySelectorAll("[data-from]")].map((node) => go(node, [{ transform: to(...node.dataset.from.split(" ")) }, { transform: to(0, 0) }])),
    ...[...drawn.querySelectorAll("[data-path]")].map((node) =>
      go(node, node.dataset.path.split(" ").map((point) => ({ transform: to(...point.split(",")), opacity: 1 })))),
  ];
  let away = false;
  Promise.all(all).then(() => away || arrived(), () => {});
  return () => {
    away = true;
    drawn.remove();
    under.classList.remove("c2c-under");
  };
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
  let timer = 0, began = 0;
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
  const stop = () => { clearTimeout(timer); timer = 0; say(); };
  const advance = () => {
    if (!play.isConnected || last()) return stop();
    go(Number(field.value) + 1);
    if (last()) return stop();
    began = performance.now();
    timer = setTimeout(advance, ms());
  };
  play.addEventListener("click", () => {
    if (timer) return stop();
    if (last()) {
      go(0);
      timer = setTimeout(advance, AGAIN);
    } else advance();
    say();
  });
  next.addEventListener("click", () => { stop(); go(last() ? 0 : Number(field.value) + 1); });
  speed.addEventListener("change", () => {
    if (!timer) return;
    clearTimeout(timer);
    timer = setTimeout(advance, Math.max(0, began + ms() - performance.now()));
  });
  field.addEventListener("input", stop);
}
