// Shows what Python made: controls, a picture, a table, a sentence. It computes nothing.
//
// `mount` draws frames and reports what the reader did; `render` at the end connects it
// to a kernel. A static page can connect `mount` to frames drawn beforehand instead.
//
// A frame: { title, controls: [{kind, name, label, unit, value, texts, groups, more, disabled, idle, plays}],
//            picture: {svg, alt, width, height, handles, sweep, machine}, back, table, sentence, links, extent, prose, error, reset, draft }
// `extent` has the letters of the longest sentence and the rows of the longest table, for which room is held, and the controls that
// lengthen the table: only a hand on one of them needs its room.
// `idle` is the reason why a control changes nothing in this state: it stays in reach of the keyboard and does not move.
// `back` is an SVG that lies behind that of the picture and seldom changes; it may be empty.
// `draft` names the form: what is typed there and not yet kept is kept by the browser under that name.
// A report: { values: {name: index | text | boolean} } or { action: name, values } or { narrow: boolean, values: {} }.

import { GRIP_SHEET, makeGrips } from "./handle.js";
import { LINK_SHEET, makeLinks } from "./links.js";
import { makeList } from "./list.js";
import { makeMachine } from "./machine.js";
import { TRAVEL_SHEET, makePlay, moves, travel } from "./play.js";
import { VEIL_SHEET, makeSweep } from "./sweep.js";

const WRITTEN = new Set(["text", "area"]);
const WIDE = 516; // px: where there is less, letters of a wide picture would be too small, and a narrow one is asked for
let count = 0;

function make(tag, className, parent, attributes = {}) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  parent?.append(node);
  return node;
}

function set(node, property, value) {
  if (node[property] !== value) node[property] = value;
}

// What is typed and not yet kept, as long as the browser lets a page keep anything.
function draft(name, text) {
  try {
    if (text === undefined) return localStorage.getItem(`chip2cluster.draft.${name}`) ?? "";
    if (text) localStorage.setItem(`chip2cluster.draft.${name}`, text);
    else localStorage.removeItem(`chip2cluster.draft.${name}`);
  } catch { /* then it lives as long as the field */ }
  return "";
}

// The next fold of the page, so that the reader's words and the answer stand together.
export function openNext(root) {
  const folds = (root.closest(".jp-Notebook, main") ?? document).querySelectorAll("details:not(.c2c *, .c2c-exercise *)");
  const next = [...folds].find((fold) => root.compareDocumentPosition(fold) & Node.DOCUMENT_POSITION_FOLLOWING);
  if (next) next.open = true;
}

// One control: its box, `read` (what to report) and `update` (what to show).
function makeControl(control, id, report, motion) {
  const { kind, name } = control;
  const box = make("div", "c2c-control", null, { "data-kind": kind, "data-name": name });
  if (kind === "button") {
    const button = make("button", "", box, { type: "button" });
    button.addEventListener("click", () => report(name, name));
    return { box, update: (next) => { set(button, "textContent", next.label); set(button, "disabled", !!next.disabled); } };
  }
  const head = make("div", "c2c-name", box);
  const title = make("label", "", head, { for: id });
  const entry = kind === "text" || control.plays ? make("div", "c2c-entry", box) : box;
  const field = make({ select: "select", area: "textarea" }[kind] ?? "input", "", entry, { id });
  if (field.tagName === "INPUT") field.type = kind;
  if (kind === "checkbox") box.prepend(field);
  // The field tells its value itself (aria-valuetext): in the name it would be spoken twice, and the name would change.
  const value = kind === "range" ? make("span", "c2c-value", head, { "aria-hidden": "true" }) : null;
  const why = WRITTEN.has(kind) ? null : make("p", "c2c-why", box, { id: `${id}-why` });
  const unit = kind === "text" ? make("span", "c2c-unit", entry, { id: `${id}-unit` }) : null;
  if (unit) field.setAttribute("aria-describedby", unit.id);
  const written = WRITTEN.has(kind);
  const list = kind === "select" ? makeList(field, head) : null;
  let texts = [], typing = false, kept = "", idle = "", still = null;

  const read = () => (kind === "checkbox" ? field.checked : written ? field.value : Number(field.value));
  const put = (shown) => (kind === "checkbox" ? set(field, "checked", shown) : set(field, "value", String(shown)));
  const say = () => {
    if (kind !== "range") return;
    const text = texts[Number(field.value)] ?? "";
    set(value, "textContent", text);
    field.setAttribute("aria-valuetext", text);
  };
  if (control.plays) makePlay(entry, field, control.plays, motion, () => { say(); report(name); });
  field.addEventListener(written ? "change" : "input", () => {
    if (idle) return put(still);
    say();
    report(name);
  });
  if (written) {
    field.autocomplete = "off";
    field.addEventListener("input", () => { typing = true; if (kept) draft(kept, field.value); });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || (kind === "area" && !event.ctrlKey && !event.metaKey)) return;
      if (kind === "area") { event.preventDefault(); event.stopPropagation(); }
      report(name, "enter");
    });
  }
  const recall = (form) => {
    kept = `${form}.${name}`;
    const text = draft(kept);
    if (text) { field.value = text; typing = true; }
  };
  const sent = () => { typing = false; };
  // As if a hand had moved the field itself; for a hand on the picture.
  const move = (option) => { field.value = String(option); field.dispatchEvent(new Event("input", { bubbles: true })); };
  const drop = () => field.focus({ preventScroll: true });

  const update = (next, mine) => {
    set(title, "textContent", next.label);
    set(field, "disabled", !!next.disabled);
    if (why) {
      idle = next.idle ?? "";
      set(why, "textContent", idle);
      box.classList.toggle("c2c-idle", !!idle);
      for (const [name, text] of [["aria-disabled", "true"], ["aria-describedby", why.id]]) idle ? field.setAttribute(name, text) : field.removeAttribute(name);
    }
    if (unit) set(unit, "textContent", next.unit);
    if (next.texts) set(box, "hidden", next.texts.length < 2);  // with one option it would do nothing
    if (next.texts && next.texts.join("\n") !== texts.join("\n")) {
      texts = next.texts;
      if (kind === "range") { field.min = 0; field.max = texts.length - 1; field.step = 1; }
      else list?.(texts, next.groups);
    }
    // What the reader has just moved, and Python has not yet seen, stays as it is.
    if (!mine && !(typing && !next.disabled)) {
      put(still = next.value);
      if (kept) draft(kept, next.disabled ? "" : field.value);
    }
    say();
  };
  return { box, title, read, update, sent, field, move, drop, ...(written && { recall }) };
}

// What stands below a part shall not move while a hand is on a control: from the first touch the part has room for its
// longest state, as far as `least` (in px) knows it, and what it takes beyond it keeps until the hand goes to another control.
function makeHold(part, least) {
  let width = 0, most = 0;
  return (again = false) => {
    if (again || part.clientWidth !== width) {
      part.style.minHeight = "";
      [width, most] = [part.clientWidth, 0];
    }
    const height = part.offsetHeight && Math.max(part.offsetHeight, Math.ceil(least()));
    if (height > most) part.style.minHeight = `${most = height}px`;
  };
}

// The height of a text of so many letters, as wide as the one that stands there.
function heightOf(letters, part) {
  const style = getComputedStyle(part), pen = new OffscreenCanvas(1, 1).getContext("2d");
  pen.font = style.font;
  const wide = letters * pen.measureText(part.textContent).width / Math.max(1, part.textContent.length);
  return Math.ceil(1.1 * wide / Math.max(1, part.clientWidth)) * parseFloat(style.lineHeight);
}

// What a screen reader says: the last sentence, once, when nothing has moved for a while. A live region that
// changes with each step of a slider queues every one of its sentences.
const REST = 700; // ms
const SAID = 10000; // ms, after which the words are taken back, so that nobody finds them twice who reads on

function makeSpeech(root) {
  const region = make("p", "c2c-speech", root, { "aria-live": "polite" });
  let timer = 0, shown = null;
  const later = (what, ms) => { clearTimeout(timer); timer = setTimeout(what, ms); };
  const speak = () => {
    if (root.classList.contains("c2c-playing")) return later(speak, REST);
    region.textContent = shown;
    later(() => { region.textContent = ""; }, SAID);
  };
  return {
    say: (text) => {
      const first = shown === null; // what is there at first is read with the rest
      if (text === shown) return;
      shown = text;
      if (!first) later(speak, REST);
    },
    stop: () => clearTimeout(timer),
  };
}

// The picture: an image to the page, and in a shadow tree one SVG on the other, so that neither styles
// the page or takes style from it. A layer changes in one step, and only if its markup did.
const SHEET = `:host { display: block; position: relative; } div { all: initial; color-scheme: inherit; } svg { position: absolute; inset: 0; width: 100%; height: 100%;
  pointer-events: none; forced-color-adjust: none; } ${GRIP_SHEET} ${VEIL_SHEET} ${TRAVEL_SHEET} ${LINK_SHEET}`;

function makePicture(parent, controls, motion, buttons) {
  const host = make("div", "c2c-image", parent, { role: "img" });
  const root = host.attachShadow({ mode: "open" });
  make("style", "", root).textContent = SHEET;
  const sheet = make("div", "", root, { "aria-hidden": "true" });
  const layers = ["back", "front"].map(() => ({ markup: "", node: make("span", "", sheet) }));
  const over = make("div", "", root, { "aria-hidden": "true" });
  const sweep = makeSweep(make("span", "", over), buttons);
  const grips = makeGrips(make("span", "", over), (name, option) => controls.get(name).move(option), (name) => controls.get(name).drop());
  const fixed = (field) => !field || field.disabled || field.getAttribute("aria-disabled") === "true";
  const present = (name) => (fixed(controls.get(name)?.field) ? undefined : controls.get(name).read());
  const label = (name) => controls.get(name).title.textContent;
  const reader = new DOMParser();
  const parsed = (markup) => document.adoptNode(reader.parseFromString(markup, "image/svg+xml").documentElement);
  const draw = (layer, markup) => {
    if (layer.markup === markup) return;
    const node = markup ? parsed(markup) : make("span");
    layer.node.replaceWith(node);
    Object.assign(layer, { markup, node });
  };
  let width = 0, end = null;
  // Ends what is on its way.
  const still = () => {
    end?.();
    end = null;
    host.style.removeProperty("--c2c-grips");
  };
  // Lets what moves to a picture pass over the present one; false where nothing does.
  const approach = (picture, arrived) => {
    if (picture.width !== width || picture.svg === layers[1].markup) return false;
    const drawn = parsed(picture.svg);
    if (!moves(drawn, motion.ms)) return false;
    end = travel(drawn, layers[1].node, motion.ms, arrived);
    host.style.setProperty("--c2c-grips", "hidden"); // they do not move with their marks
    return true;
  };
  const show = (picture, back = "") => {
    width = picture.width;
    host.setAttribute("aria-label", picture.alt);
    set(host.style, "aspectRatio", `${picture.width} / ${picture.height}`);
    draw(layers[0], back);
    const changed = layers[1].markup !== picture.svg;
    draw(layers[1], picture.svg);
    sweep(picture, changed);
    grips(picture, present, label);
  };
  return { host, show, still, approach };
}

// The typeface of the pictures: once for a page, and for its shadow trees too.
function addFaces({ family, faces = {} }) {
  for (const [weight, bytes] of Object.entries(faces)) {
    const known = [...document.fonts].some((face) => face.family.replaceAll('"', "") === family && face.weight === weight);
    if (!known) document.fonts.add(new FontFace(family, bytes, { weight }));
  }
}

export function mount(root, report) {
  const prefix = `c2c-${++count}-${Math.random().toString(36).slice(2, 8)}`;
  root.classList.add("c2c");
  root.setAttribute("role", "group");
  const prose = make("div", "c2c-prose", root);
  const first = make("div", "c2c-controls", root);
  const foot = make("div", "c2c-foot", root);
  const more = make("details", "", foot);
  make("summary", "", more).textContent = "More";
  const second = make("div", "c2c-controls", more);
  const error = make("p", "c2c-error", root, { role: "alert" });
  const body = make("div", "c2c-body", root);
  const shown = make("div", "c2c-shown", body);
  const picture = make("div", "c2c-picture", shown);
  const controls = new Map();
  const motion = { ms: 0 }; // how long what moves is on its way to the next frame: see play.js
  const image = makePicture(picture, controls, motion, (box) => first.append(box));
  for (const event of ["input", "click"]) root.addEventListener(event, () => { motion.ms = 0; }, true);
  const sentence = make("p", "c2c-sentence", shown, { tabindex: "-1" });
  const speech = makeSpeech(root);
  const result = make("div", "c2c-result", body);
  // Where there is little room, the table is folded.
  const unfold = make("button", "c2c-unfold", result, { type: "button", "aria-controls": `${prefix}-table`, "aria-expanded": "false" });
  unfold.textContent = "Table";
  unfold.addEventListener("click", () => {
    unfold.setAttribute("aria-expanded", String(root.classList.toggle("c2c-unfolded")));
  });
  const cells = make("div", "c2c-table", result, { id: `${prefix}-table` });
  const table = make("table", "", cells);
  let narrow = false;
  const watch = new ResizeObserver(() => {
    // What is wider than its place scrolls sideways, so it must be within reach of the keyboard.
    for (const box of [picture, cells]) box.scrollWidth > box.clientWidth ? box.tabIndex = 0 : box.removeAttribute("tabindex");
    const room = root.clientWidth - 8; // without its padding
    const now = room > 0 ? room < WIDE : narrow;
    root.classList.toggle("c2c-small", now && !picture.hidden);
    if (hand) holds.forEach((hold) => hold());
    if (now !== narrow && !picture.hidden) report({ narrow: narrow = now, values: {} });
  });
  const machine = makeMachine(root);
  const links = makeLinks(root, table, sentence, image.host, machine.point);
  [root, first, picture, sentence, cells, table].forEach((box) => watch.observe(box));
  let extent = {}, hand = null;
  const lastRow = () => table.tBodies[0]?.lastElementChild;
  const longestTable = () => table.offsetHeight + Math.max(0, (extent.rows ?? 0) - (lastRow()?.parentNode.childElementCount ?? 0)) * (lastRow()?.offsetHeight ?? 0);
  const lengthens = () => !extent.lengthens?.length || extent.lengthens.includes(hand?.dataset.name);
  const holds = [
    makeHold(first, () => 0),
    makeHold(sentence, () => heightOf(extent.letters ?? 0, sentence)),
    makeHold(cells, () => (extent.rows && lengthens() ? longestTable() : 0)),
  ];
  for (const event of ["focusin", "input"]) root.addEventListener(event, ({ target }) => {
    const control = target.closest(".c2c-control");
    if (!control || control === hand || picture.hidden) return;
    hand = control;
    holds.forEach((hold) => hold(true));
  }, true);
  const reset = make("button", "", null, { type: "button" });
  reset.textContent = "Reset";
  reset.addEventListener("click", () => report({ action: "reset", values: {} }));

  // Keys typed here are the control's: a notebook would take letters for commands, `d d` to delete the cell. What
  // leads away (Tab, Escape, shortcuts, Shift+Enter) is the page's.
  let gone = true; // the reader has gone elsewhere, or the focus was given back once
  root.addEventListener("keydown", (event) => {
    gone = event.ctrlKey || event.metaKey || event.altKey || (event.key === "Enter" && event.shiftKey)
      || event.key === "Tab" || event.key === "Escape";
    if (!gone) event.stopPropagation();
  });
  // A notebook that scrolls or renders may take the focus off a control that the hand is on. It is given back once for
  // each key or click, because a program that takes it twice does so on purpose.
  root.addEventListener("pointerdown", () => { gone = false; });
  const outside = (event) => { if (!root.contains(event.target)) gone = true; };
  document.addEventListener("pointerdown", outside, true);
  root.addEventListener("focusout", (event) => {
    if (gone || event.relatedTarget === null || root.contains(event.relatedTarget)) return;
    gone = true;
    requestAnimationFrame(() => event.target.focus({ preventScroll: true }));
  });

  // In a form, that is beside a "commit" button, nothing is reported before the button or Enter.
  const onControl = (name, action) => {
    const form = controls.has("commit");
    const names = form ? [...controls.keys()] : [name];
    const values = Object.fromEntries(names.filter((key) => controls.get(key).read).map((key) => [key, controls.get(key).read()]));
    if (form && action) names.forEach((key) => controls.get(key).sent?.());
    if (form && action) report({ action: "commit", values });
    else if (!form && action !== "enter") report({ values, ...(action && { action }) });
  };

  const filled = new Map();
  const fill = (node, html) => {
    if (filled.get(node) !== html) node.innerHTML = html;
    filled.set(node, html);
  };

  let coming = null; // what a frame shows whose messages are on their way

  function show(frame, pending = {}) {
    image.still();
    if (motion.ms) coming?.();
    const held = root.contains(document.activeElement) ? document.activeElement : null;
    root.setAttribute("aria-label", frame.title);
    for (const control of frame.controls ?? []) {
      let made = controls.get(control.name);
      if (!made) {
        made = makeControl(control, `${prefix}-${control.name}`, onControl, motion);
        controls.set(control.name, made);
        if (frame.draft && !control.disabled) made.recall?.(frame.draft);
        (control.more ? second : first).append(made.box);
        if (frame.reset) foot.append(reset);
      }
      made.update(control, control.name in pending);
    }
    more.hidden = !second.childElementCount;
    foot.hidden = more.hidden && !reset.parentNode;
    coming = () => {
      coming = null;
      image.still();
      showResult(frame, held);
    };
    if (!frame.picture || !image.approach(frame.picture, coming)) coming();
  }

  // All of a frame but its controls.
  function showResult(frame, held) {
    root.classList.toggle("c2c-form", !frame.picture);
    picture.hidden = !frame.picture;
    table.hidden = !frame.table;
    if (frame.picture) image.show(frame.picture, frame.back);
    picture.classList.toggle("c2c-narrow", frame.picture?.width < WIDE - 8);
    const row = links.held();
    fill(table, frame.table ?? "");
    unfold.hidden = !frame.table;
    extent = frame.extent ?? {};
    fill(prose, frame.prose ?? "");
    links.say((frame.sentence ?? "").replace(/(\d) %/g, "$1\u00a0%"), frame.links ?? []); // no line ends between the two
    links.update(row);
    machine.show(frame.picture?.machine);
    speech.say(sentence.textContent);
    fail(frame.error ?? "");
    // A control that is disabled under the hand loses the focus to the page, where no key works in a notebook: the
    // sentence takes it, which is also what there is to read now.
    if (held?.disabled && frame.sentence) {
      gone = true; // there is no hand on the sentence, so nobody gives the focus back to it
      sentence.focus({ preventScroll: true });
      sentence.scrollIntoView({ block: "nearest" });
    }
  }

  const fail = (text) => set(error, "textContent", text);
  const dispose = () => { image.still(); speech.stop(); watch.disconnect(); document.removeEventListener("pointerdown", outside, true); };
  return { show, fail, dispose };
}

// A Jupyter server without our extension (serverextension.py) sends the kernel's "busy" note at once and,
// by TCP's rules for small packets, holds the answer back until the browser confirms that note, which
// browsers delay by 40 ms and more. Anything the browser sends confirms it: an empty message, if the
// answer is not here after this many milliseconds.
const NUDGE = 20;
const SILENCE = "No answer from the kernel yet. It is busy, or it was restarted or ended: then run this cell again.";
const UNSAID = "What you typed stays in the field, when you run the cell again or come back another day too.";
const PATIENCE = 4000;

// One message in flight: what happens meanwhile is merged, and only the latest goes out.
function render({ model, el }) {
  const id = Math.random().toString(36).slice(2);
  let flying = null, pending = null, number = 0, timer = null, nudge = null;
  addFaces(model.get("typeface"));
  // As long as this view is in the page, its still is not.
  const still = `#${model.get("frame").still}`;
  make("style", "", el).textContent = `${still} { display: none; } .jp-OutputArea-child:has(${still}) { display: none; }`;
  const root = make("div", "", make("div", "c2c-room", el));
  // Prose beside explorers has a measure: see explorer.css. Cells come and go as one scrolls, their notebook stays.
  requestAnimationFrame(() => {
    el.closest(".jp-Notebook")?.classList.add("c2c-notebook");
    // The boxes of an output scroll by themselves, and then nothing in them can stay in sight.
    for (let box = el; box?.matches(".lm-Widget:not(.jp-Notebook)"); box = box.parentElement) box.classList.add("c2c-lasting");
  });
  const view = mount(root, (change) => {
    pending = { ...pending, ...change, values: { ...pending?.values, ...change.values } };
    pump();
  });
  function pump() {
    if (flying || !pending) return;
    flying = `${id}.${++number}`;
    const message = { ...pending, seq: flying };
    pending = null;
    const silent = () => view.fail(model.get("frame").draft ? `${SILENCE} ${UNSAID}` : SILENCE);
    timer = setTimeout(silent, PATIENCE);
    try {
      model.send(message);
      nudge = setTimeout(() => model.send({}), NUDGE);
    } catch { silent(); }  // the kernel has ended
  }
  function arrived() {
    const frame = model.get("frame");
    if (frame.seq === flying) {
      flying = null; clearTimeout(timer); clearTimeout(nudge);
      if (frame.opens) openNext(root);
    }
    const options = model.get("options"), controls = frame.controls?.map((one) => ({ ...one, ...options[one.name] }));
    const picture = frame.picture && { ...frame.picture, handles: model.get("handles") };
    view.show({ ...frame, controls, picture, back: model.get("back") }, pending?.values);
    pump();
  }
  model.on("change:frame", arrived);
  arrived();
  return () => { clearTimeout(timer); clearTimeout(nudge); model.off("change:frame", arrived); view.dispose(); };
}

export default { render };
