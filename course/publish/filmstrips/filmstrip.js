// Makes the explorers of the book move: of the frames that Python drew beforehand, shows the one asked for.
// It computes nothing.
//
// A film, as packed JSON: { title, extent,
//           controls: [{kind, name, label, unit, more, texts}],
//           start: a key, the number of the present option of each control, such as "0.12.3",
//           frames: {key: [menu, width, height, back, front, alt, table, sentence, hands, links]}, the last seven as numbers of texts,
//           menus: [for each control the numbers of the options offered],
//           idle: {key: {number of a control: number of the reason why it changes nothing there}},
//           turns: [for each control {key asked for: [key shown instead, number of the note]}],
//           texts: [the numbers of its pieces, one after the other], pieces: [string] }

import { mount } from "./explorer.js";

const NEAR = "800px"; // how far from being seen a strip is fetched
const NARROW = 524; // px: where `mount` asks for a narrow picture, and the rim of its place
const FAILED = "The controls could not be loaded. This is the first frame; open the book over http, then reload, to move it.";

const read = (film, number) => film.texts[number].map((piece) => film.pieces[piece]).join("");

// The frame of a key, as `mount` wants it.
function frameOf(film, key, note) {
  const [offered, width, height, ...texts] = film.frames[key];
  const [back, svg, alt, table, sentence, hands, links] = texts.map((number) => read(film, number));
  const words = [note, sentence].filter(Boolean).join(" ");
  const menu = film.menus[offered], present = key.split(".").map(Number), idle = film.idle[key] ?? {};
  const controls = film.controls.map((control, index) => ({
    ...control, groups: control.groups && menu[index].map((option) => control.groups[option]),
    texts: menu[index].map((option) => control.texts[option]), idle: idle[index] === undefined ? "" : read(film, idle[index]),
    value: control.kind === "checkbox" ? menu[index][1] === present[index] : menu[index].indexOf(present[index]),
  }));
  const picture = { svg, alt, width, height, ...JSON.parse(hands) };
  return { title: film.title, controls, reset: true, extent: film.extent, back, picture, table, sentence: words, links: JSON.parse(links) };
}

// Where a reader gets from a key who moves one control to one of the options on its menu.
function turn(film, key, name, option) {
  const index = film.controls.findIndex((control) => control.name === name);
  const next = key.split(".");
  next[index] = film.menus[film.frames[key][0]][index][Number(option)];
  const [shown, note] = film.turns[index][next.join(".")] ?? [next.join(".")];
  return [shown, note === undefined ? "" : read(film, note)];
}

// From a key, what was asked for of each list comes back where it is offered.
function recall(film, key, wishes) {
  film.controls.forEach(({ kind, name }, index) => {
    const option = film.menus[film.frames[key][0]][index].indexOf(Number(wishes[index]));
    const other = key.split(".")[index] !== String(wishes[index]);
    if (kind === "select" && other && option >= 0) [key] = turn(film, key, name, option);
  });
  return key;
}

// A film from its file; that for narrow places lies beside the other.
async function load(file, narrow) {
  const strip = narrow ? file.replace(".strip", ".narrow.strip") : file;
  const answer = await fetch(strip);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  const unpacked = new Response(answer.body.pipeThrough(new DecompressionStream("gzip")));
  return unpacked.json();
}

// A live view of a film, in an element of its own. Both films have the same keys.
function play(film, file, narrow) {
  const root = document.createElement("div");
  const films = new Map([[narrow, Promise.resolve(film)]]);
  let key = film.start, wishes = key.split("."), note = "", wanted = narrow;
  const view = mount(root, ({ action, values, narrow: slim }) => {
    if (slim !== undefined) {
      if (!films.has(wanted = slim)) films.set(slim, load(file, slim));
      films.get(slim).then((other) => { if (wanted === slim && film !== other) view.show(frameOf(film = other, key, note)); })
        .catch(() => films.delete(slim)); // the other one stays
      return;
    }
    if (action === "reset") [key, wishes, note] = [film.start, film.start.split("."), ""];
    for (const [name, option] of Object.entries(values)) {
      const index = film.controls.findIndex((control) => control.name === name);
      wishes[index] = film.menus[film.frames[key][0]][index][Number(option)];
      const [shown, words] = turn(film, key, name, option);
      [key, note] = [recall(film, shown, wishes), words];
      if (key !== shown) note = ""; // what it says is no longer so
    }
    view.show(frameOf(film, key, note));
  });
  view.show(frameOf(film, key, note));
  root.classList.add("c2c-live");
  return root;
}

// The still stays in the page, for paper. Whatever goes wrong, it stays in sight too.
async function start(place) {
  try {
    const file = place.dataset.filmstrip, narrow = place.clientWidth < NARROW;
    place.prepend(play(await load(file, narrow), file, narrow));
    place.dataset.filmstripState = "live";
  } catch (error) {
    console.warn(`${place.dataset.filmstrip}: ${error.message}`);
    place.querySelector(".c2c-silent").textContent = FAILED;
    place.dataset.filmstripState = "failed";
  }
}

const waiting = new Set(document.querySelectorAll("[data-filmstrip]"));
const once = (place) => waiting.delete(place) && start(place);

const watch = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) if (isIntersecting && !matchMedia("print").matches) once(target);
}, { rootMargin: NEAR });

for (const place of waiting) {
  place.dataset.filmstripState = "waiting";
  watch.observe(place);
}
// Who goes by the keyboard would step over controls that are not there yet.
addEventListener("keydown", (event) => event.key === "Tab" && waiting.forEach(once));
