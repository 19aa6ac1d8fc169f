// Predictions without Python: the first committed guess stays, and only then is the value shown.
//
// Nothing is decided here. How a guess is read and what is said about it comes as data, from the same
// words.py that a notebook uses; a test compares the two. The record lies in this browser alone.

import { mount, openNext } from "./explorer.js";
import data from "./predictions-data.js";

const { rules, questions, renamed, notes } = data;
const KEY = "chip2cluster.predictions.1", NOTES = "chip2cluster.notes.1";

// -- words --------------------------------------------------------------------------------

const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const folded = (unit) => unit.normalize("NFKC").replaceAll(" ", "").toLowerCase();

// Python rounds what lies exactly between two to the even one; toFixed and toExponential take the upper one.
const halfway = (kept, rest) => /^50*$/.test(rest) && "02468".includes(kept.at(-1));

function fixed(x, digits) {
  const exact = x.toFixed(digits + 50), at = exact.indexOf(".") + 1 + digits;
  const kept = exact.slice(0, digits ? at : at - 1);
  return halfway(kept, exact.slice(at)) ? kept : x.toFixed(digits);
}

function scientific(x, digits) {
  const exact = x.toExponential(digits + 50), kept = exact.slice(0, digits + 2);
  const [mantissa, exponent] = (halfway(kept, exact.slice(digits + 2, exact.indexOf("e"))) ? kept + exact.slice(exact.indexOf("e"))
    : x.toExponential(digits)).split("e");
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

// A factor in two digits: 3.0, 150, 12,345, 3.0e+07.
function factor(ratio) {
  if (ratio >= 1e6) return scientific(ratio, 1);
  if (ratio >= 1000) return fixed(ratio, 0).replace(/\B(?=(\d{3})+$)/g, ",");
  const power = Math.floor(Math.log10(Number(ratio.toExponential(1))));
  return fixed(ratio, Math.max(0, 1 - power));
}

export function parse(text, unit) {
  const found = new RegExp(`^(?:${rules.number})$`, "su").exec(text.trim());
  const refuse = (name, rest) => { throw new RangeError(fill(rules.refused[name], { unit, rest })); };
  if (!found) refuse("number");
  const [, number, rest] = found;
  if (rest.startsWith(",")) refuse("comma");
  if (rest && folded(rest) !== folded(unit)) refuse("unit", rest);
  const value = Number(number.replaceAll(",", ""));
  if (value > rules.largest) refuse("huge");
  if (value < rules.smallest) refuse("zero");
  return value;
}

export function verdict(guess, truth) {
  const ratio = Math.max(guess / truth, truth / guess);
  if (ratio < rules.right) return rules.sayings.right;
  if (ratio < rules.within) return fill(rules.sayings.within, { percent: Math.ceil(Number((100 * (ratio - 1)).toFixed(6))) });
  const near = rules.near.find(([start, end]) => start <= ratio && ratio < end)?.[2] ?? "";
  const far = ratio >= rules.far ? fill(rules.sayings.far, { orders: fixed(Math.log10(ratio), 1) }) : near;
  return fill(rules.sayings.off, { times: factor(ratio), side: guess > truth ? "high" : "low", near: far });
}

export function summary(orders) {
  if (!orders.length) return rules.none;
  const count = orders.length, sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
  const mean = sum(orders.map(Math.abs)) / count, lean = sum(orders) / count;
  const side = Math.abs(lean) < rules.even ? "even" : lean > 0 ? "high" : "low";
  return fill(rules.summary, { count, s: count > 1 ? "s" : "", times: factor(10 ** mean), orders: fixed(mean, 2), lean: rules.leanings[side] });
}

// -- the record ---------------------------------------------------------------------------

// A browser may refuse to keep anything; then the guesses live as long as this page.
let passing = {}, kept = true;

function valid(made) {
  return made && typeof made === "object" && !Array.isArray(made)
    && Object.values(made).every((one) => Number.isFinite(one?.guess) && one.guess > 0 && typeof one.typed === "string");
}

// A guess made under an id that has changed since is the older one, and stays.
function current(made) {
  for (const [old, now] of Object.entries(renamed)) {
    if (old in made) made[now] = made[old];
    delete made[old];
  }
  return made;
}

function read() {
  try {
    const text = localStorage.getItem(KEY);
    if (text === null) return kept ? {} : passing;
    let made = null;
    try { made = JSON.parse(text); } catch { /* damaged: dealt with below */ }
    if (valid(made)) return current(made);
    localStorage.setItem(`${KEY}.damaged`, text);  // set aside, never overwritten by what comes next
    localStorage.removeItem(KEY);
    return {};
  } catch {
    kept = false;
    return passing;
  }
}

function write(made) {
  passing = made;
  try {
    localStorage.setItem(KEY, JSON.stringify(made));
  } catch {
    kept = false;
  }
}

const LOST = "Your browser does not let this site keep anything: your guesses last until you leave this page.";
const known = (made) => Object.keys(questions).filter((id) => id in made);
const off = (made) => known(made).map((id) => Math.log10(made[id].guess / questions[id].truth));

// -- the page -----------------------------------------------------------------------------

function make(tag, parent, text = "", attributes = {}) {
  const node = document.createElement(tag);
  node.textContent = text;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  parent.append(node);
  return node;
}

const shown = [];
const refresh = () => shown.forEach((show) => show());

function startForm(place) {
  const id = place.dataset.prediction, question = questions[id];
  const root = document.createElement("div");
  let typed = "", error = "";
  const view = mount(root, ({ action, values }) => {
    if (action !== "commit" || id in read()) return refresh();
    typed = values.guess.trim();
    error = "";
    try {
      const guess = parse(typed, question.unit);
      write({ ...read(), [id]: { guess, typed, when: new Date().toISOString() } });
    } catch (refused) {
      if (!(refused instanceof RangeError)) throw refused;
      error = refused.message;
    }
    refresh();
  });
  const prose = document.createElement("div");
  const ask = make("p", prose);
  make("strong", ask, "Predict.");
  ask.append(` ${question.text}`);
  const score = make("p", root, "", { class: "c2c-score" });
  shown.push(() => {
    const made = read(), mine = made[id], frozen = !!mine;
    view.show({
      title: "Prediction",
      prose: prose.innerHTML,
      controls: [
        { kind: "text", name: "guess", label: "Your guess", unit: question.unit, value: mine?.typed ?? typed, disabled: frozen },
        { kind: "button", name: "commit", label: frozen ? "Committed" : "Commit", disabled: frozen },
      ],
      sentence: frozen ? `${question.value} ${verdict(mine.guess, question.truth)} ${question.reason}` : "",
      error: frozen ? "" : error,
    });
    score.textContent = frozen ? `So far: ${summary(off(made))}${kept ? "" : ` ${LOST}`}` : "";
  });
  place.replaceChildren(root);
}

// Notes lie beside the predictions: { place: [{ text, when }] }. What is kept stays; more may be added.
let written = {};

function keptWords() {
  try {
    const text = localStorage.getItem(NOTES);
    if (text === null) return written;
    try {
      const all = JSON.parse(text);
      if (all && typeof all === "object" && !Array.isArray(all)) return all;
    } catch { /* damaged: dealt with below */ }
    localStorage.setItem(`${NOTES}.damaged`, text);
    localStorage.removeItem(NOTES);
  } catch { /* nothing can be kept here */ }
  return written;
}

function keep(place, text) {
  const all = keptWords(), mine = Array.isArray(all[place]) ? all[place] : [];
  if (mine.some((one) => one.text === text)) return;
  written = { ...all, [place]: [...mine, { text, when: new Date().toISOString() }] };
  try { localStorage.setItem(NOTES, JSON.stringify(written)); } catch { kept = false; }
}

function own(entries) {
  const box = document.createElement("div");
  for (const { text, when } of entries) {
    const quote = make("blockquote", box, "", { class: "c2c-own" });
    make("p", quote, text);
    make("footer", quote, `You, ${new Date(when).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" })}`);
  }
  return box.innerHTML;
}

function startNotes(place) {
  const id = place.dataset.notes, root = document.createElement("div");
  let typed = "", error = "";
  const view = mount(root, ({ action, values }) => {
    if (action !== "commit") return;
    const text = values.words.trim();
    typed = text ? "" : values.words;
    error = text ? "" : notes.empty;
    if (text) keep(id, text);
    refresh();
    if (text) openNext(root);
  });
  shown.push(() => {
    const mine = keptWords()[id], there = Array.isArray(mine) && mine.length > 0;
    view.show({
      title: "Your notes",
      draft: `notes.${id}`,
      prose: there ? own(mine) + notes.add : notes.ask,
      controls: [
        { kind: "area", name: "words", label: there ? "Add to your notes" : "Your notes", value: typed },
        { kind: "button", name: "commit", label: "Keep" },
      ],
      error: error || (there && !kept ? LOST : ""),
    });
  });
  place.replaceChildren(root);
}

function table(made) {
  const box = document.createElement("div");
  box.className = "c2c-table";
  const sheet = make("table", box), head = make("tr", make("thead", sheet)), body = make("tbody", sheet);
  ["question", "your guess", "value"].forEach((title, at) => make("th", head, title, { scope: "col", ...(at && { class: "c2c-number" }) }));
  for (const id of known(made)) {
    const { text, unit, value } = questions[id], row = make("tr", body);
    make("td", row, text);
    make("td", row, made[id].typed.endsWith(unit) ? made[id].typed : `${made[id].typed} ${unit}`, { class: "c2c-number" });
    make("td", row, value.slice("It is ".length, -1), { class: "c2c-number" });
  }
  return box;
}

function startRecord(place) {
  place.replaceChildren();
  const words = make("p", place, "", { "aria-live": "polite" });
  const all = make("details", place);
  make("summary", all, "All of them");
  const sheet = make("div", all);
  const clear = make("button", place, "Clear my predictions …", { type: "button" });
  const dialog = make("dialog", place, "", { class: "c2c-dialog", "aria-label": "Clear my predictions" });
  const question = make("p", dialog);
  const keep = make("button", dialog, "Keep", { type: "button" }), go = make("button", dialog, "Clear", { type: "button" });
  clear.addEventListener("click", () => dialog.showModal());
  keep.addEventListener("click", () => dialog.close());
  go.addEventListener("click", () => {
    passing = {};
    try { localStorage.removeItem(KEY); } catch { kept = false; }
    dialog.close();
    refresh();
  });
  shown.push(() => {
    const made = read(), count = known(made).length;
    words.textContent = `${summary(off(made))}${kept ? " The record counts all chapters and lies in this browser alone." : ` ${LOST}`}`;
    question.textContent = count === 1 ? "Clear your prediction? It cannot be brought back."
      : `Clear all ${count} predictions, those of other chapters too? They cannot be brought back.`;
    all.hidden = clear.hidden = !count;
    sheet.replaceChildren(...(count ? [table(made)] : []));
  });
}

document.querySelectorAll("[data-prediction]").forEach(startForm);
document.querySelectorAll("[data-notes]").forEach(startNotes);
document.querySelectorAll("[data-predictions-record] [data-predictions]").forEach(startRecord);
window.addEventListener("storage", (event) => [KEY, NOTES, null].includes(event.key) && refresh());
refresh();
