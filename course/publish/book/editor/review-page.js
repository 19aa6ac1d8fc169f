// The review of the day, from the record in this browser: up to three exercises and predictions, each with its reason.

import predictions from "./predictions-data.js";
import data from "./review-data.js";
import settings from "./python/settings.js";
import { drawReview, record, repeat } from "./record.js";
import { due, draw, drawn, isOpen, PARTS, position, reason, spokenDay, today, waiting } from "./review.js";

const { questions } = predictions, { words, exercises, pages } = data;
const truths = Object.fromEntries(Object.keys(pages).map((id) => [id, questions[id].truth]));
const known = (id) => id in exercises;
const said = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const day = (when) => spokenDay(when, words.months);

function make(tag, parent, text = "", attributes = {}) {
  const node = document.createElement(tag);
  node.textContent = text;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  parent.append(node);
  return node;
}

// The reader's own word on an item; the button that was pressed goes, so the focus moves to the sentence in its place.
function ask(item, kind, id, labels, show) {
  const bar = make("p", item, "", { class: "c2c-buttons" });
  for (const [right, label] of [[true, labels[0]], [false, labels[1]]]) {
    make("button", bar, label, { type: "button" }).addEventListener("click", () => {
      repeat(kind, id, right);
      show(id);
    });
  }
}

function showExercise(item, id, entry, open, show) {
  const { title, place, address } = exercises[id];
  make("a", make("h3", item), `${place} · ${title}`, { href: address });
  make("p", item, `Why: ${reason("exercise", entry, place, words)}.`);
  if (!open) return;
  const runs = settings.available && (!exercises[id].numpy || settings.packages.includes("numpy"));
  make("p", item, !runs ? words.paper : exercises[id].critique ? words.judge : words.write);
  if (!runs) ask(item, "exercise", id, words.done, show);
}

function showPrediction(item, id, entry, open, show) {
  const { text, unit, value, reason: why } = questions[id], { place, address } = pages[id];
  make("a", make("h3", item), said(words.heading, { place }), { href: address });
  make("p", item, text);
  make("p", item, `Why: ${reason("prediction", entry, place, words)}.`);
  if (open) make("p", item, said(words.recall, { unit }));
  const fold = make("details", item);
  make("summary", fold, words.value);
  make("p", fold, `${value} ${why} ${said(words.guessed, { guess: entry.typed ?? entry.guess, unit })}`);
  fold.open = !open;
  if (open) ask(item, "prediction", id, words.knew, show);
}

function show(place, done) {
  place.replaceChildren();
  const now = record(), list = make("ol", place), { items } = drawn(now);
  let shown = 0;
  for (const [kind, id] of items) {
    const entry = now[PARTS[kind]][id];
    if (!entry || !(kind === "exercise" ? known(id) : id in truths)) continue;
    const item = make("li", list), open = isOpen(now, kind, id), again = (name) => show(place, name);
    shown += 1;
    (kind === "exercise" ? showExercise : showPrediction)(item, id, entry, open, again);
    if (!open) {
      const sentence = make("p", item, `✓ ${said(words.again, { day: day(due(position(entry))) })}`, { tabindex: "-1" });
      if (id === done) sentence.focus();
    }
  }
  if (!shown) list.remove();
  const all = waiting(now, known, truths);
  const others = all.filter((one) => one.due <= today() && !items.some(([kind, id]) => kind === one.kind && id === one.id));
  let note = "";
  if (!all.length) note = words.empty;
  else if (others.length) note = said(words.more, { count: others.length });
  else if (!shown) note = said(words.free, { day: day(all.map((one) => one.due).sort()[0]) });
  if (note) make("p", place, note);
}

function start(place) {
  const now = record(), before = drawn(now);
  if (before.day < today() || !before.items.length) drawReview(today(), draw(waiting(now, known, truths), today()));
  show(place);
  window.addEventListener("storage", () => show(place));  // another page of the book counted a repetition
}

document.querySelectorAll("[data-review]").forEach(start);
