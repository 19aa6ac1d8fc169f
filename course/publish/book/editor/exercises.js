// Exercises on the page: an editor in place of the empty function, and below it the verdict of the course's own judge.
// Without this script a page shows the task, its hints and its solution.

import settings from "./python/settings.js";
import { check, prepare, stop } from "./python.js";
import { attempt, drawNumber, entry, exported, imported, keepAnswer, noteHints, noteSolution, repeat } from "./record.js";
import { due, position } from "./review.js";

const NEAR = "800px";  // an editor is made when its exercise is this close to the window
const NOT_KEPT = "Your browser does not let this site keep anything: copy your answer before you leave this page.";
const STUB = "raise NotImplementedError";
const UNWRITTEN = "Not written yet: put your own lines in place of raise NotImplementedError, then press Run.";
const chapters = {};  // files with recorded cases, by topic

function make(tag, parent, text = "", attributes = {}) {
  const node = document.createElement(tag);
  node.textContent = text;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  parent?.append(node);
  return node;
}

function recorded(id) {
  const topic = id.split(".")[0];
  const cases = new URL(`./exercises/${topic}.json`, import.meta.url);
  chapters[topic] ??= fetch(cases).then((answer) => {
    if (!answer.ok) throw new Error(`${answer.url} answers ${answer.status}`);
    return answer.json();
  }).catch((error) => { delete chapters[topic]; throw error; });
  return chapters[topic];
}

// Three answers to judge: shows those of the reader's draw, with their solution, and returns their record.
async function showDraw(id, place) {
  const { exercises, draws } = await recorded(id);
  if (!draws[id]) return exercises[id];
  const number = drawNumber(id, draws[id].length), draw = draws[id][number];
  const card = () => document.querySelector(`[data-critique="${id}"]`);
  if (card().dataset.draw !== String(number)) {
    card().outerHTML = draw.shown;
    card().dataset.draw = number;
    place.querySelector("details.c2c-solution > .c2c-folded").innerHTML = draw.solution;
  }
  return draw.record;
}

async function start(place) {
  const id = place.dataset.exercise, cell = place.closest(".cell");
  let stub = cell?.previousElementSibling;
  while (stub && !stub.querySelector(".cell_input pre")?.textContent.includes(STUB)) stub = stub.previousElementSibling;
  if (!stub) return;
  const given = stub.querySelector(".cell_input pre").textContent.replace(/\n+$/, "\n");
  const title = place.closest("section").querySelector("h2, h3, h4").firstChild.textContent.trim();
  const { edit, replaceText } = await import("./codemirror.js");
  if (document.querySelector(`[data-critique="${id}"]`)) await showDraw(id, place).catch(() => {});  // Run says what is missing

  const root = make("div", null, "", { class: "c2c-editor", role: "group", "aria-label": title });
  const host = make("div", root, "", { class: "c2c-code" });
  // Sphinx takes "/" for its search, unless it is typed in a field.
  host.addEventListener("keydown", (event) => { if (event.key.length === 1) event.stopPropagation(); });
  for (const sign of ["pointerdown", "input"]) host.addEventListener(sign, prepare, { once: true });
  const bar = make("div", root, "", { class: "c2c-buttons" });
  const button = (text, act, attributes = {}) => {
    const node = make("button", bar, text, { type: "button", ...attributes });
    node.addEventListener("click", act);
    return node;
  };
  const runs = button("Run", () => run(), { class: "c2c-run" });
  const stops = button("Stop", stop);
  stops.hidden = true;
  button("Hint", () => openHint());
  button("Solution", () => openSolution());
  const back = button("Start again …", () => startAgain());
  const status = make("p", root, "", { class: "c2c-status", role: "status" });
  const note = make("p", root, "", { class: "c2c-fetches" });
  if (settings.host && place.hasAttribute("data-numpy")) {
    note.textContent = `This exercise needs NumPy: when you press Run, your browser fetches it from ${settings.host}. Everything else comes from this site.`;
  }
  const printed = make("pre", root, "", { class: "c2c-printed", "aria-label": "Printed by your lines", tabindex: "0" });
  printed.hidden = true;
  const verdict = place.querySelector(".c2c-verdict");
  let view = null, agreed = place.hasAttribute("data-numpy");

  function changed(text) {
    if (!keepAnswer(id, text)) status.textContent = NOT_KEPT;
    back.hidden = text === given;
  }

  async function run() {
    runs.disabled = true;
    stops.hidden = false;
    status.textContent = "Running …";
    try {
      const { imports } = await recorded(id), record = await showDraw(id, place);
      const question = { record, imports: JSON.stringify(imports), source: view.state.doc.toString(), agreed };
      const result = await check(question, (text) => { status.textContent = text; });
      status.textContent = shown(result);
    } catch (error) {
      status.textContent = `Your answer could not be checked: ${error.message}. It is kept; reload the page and press Run again.`;
    }
    runs.disabled = false;
    stops.hidden = true;
  }

  // Shows a result and returns the sentence for the status.
  function shown({ kind, verdict: found, names, text }) {
    if (kind === "stopped") return "Stopped. Python starts anew at the next Run.";
    if (kind === "failed") return `That did not work: ${text}. Your answer is kept; press Run to try again.`;
    if (kind === "asks") {
      agreed = true;
      return `Your lines need ${names.join(" and ")}, which your browser would fetch from ${settings.host}. Press Run again to fetch and run.`;
    }
    printed.textContent = found.printed;
    printed.hidden = !found.printed;
    place.querySelector(".c2c-verdict").outerHTML = found.html;
    if (found.written) attempt(id, found);
    const repeated = found.written && repeat("exercise", id, found.correct, found.mistake);
    document.dispatchEvent(new Event("c2c-record"));
    return repeated ? `This was a repetition${found.correct ? "" : " and counts as a miss"}: the exercise comes back on ${due(position(repeated))}.` : "";
  }

  const hints = [...place.querySelectorAll("details.c2c-hint")], solution = place.querySelector("details.c2c-solution");
  const open = (fold) => { fold.open = true; fold.querySelector("summary").focus(); };
  const openHint = () => open(hints.find((hint) => !hint.open) ?? hints.at(-1));
  const openSolution = () => solution && open(solution);
  hints.forEach((hint, at) => hint.addEventListener("toggle", () => hint.open && noteHints(id, at + 1)));
  solution?.addEventListener("toggle", () => solution.open && noteSolution(id));

  // The only step that drops what was written, so it is asked for twice, and Undo brings the text back.
  function startAgain() {
    if (back.textContent !== "Drop my lines") {
      back.textContent = "Drop my lines";
      back.addEventListener("blur", () => { back.textContent = "Start again …"; }, { once: true });
      return;
    }
    replaceText(view, given);
    view.focus();
    status.textContent = "Undo (Ctrl+Z) brings your lines back.";
  }

  view = edit(host, { text: entry(id).answer ?? given, label: `Your answer to ${title}`, changed, run });
  back.hidden = view.state.doc.toString() === given;
  stub.replaceWith(root);
  cell.querySelector(":scope > .cell_input")?.remove();
  verdict.replaceChildren();  // the notebook's words about a cell
  const before = entry(id);
  status.textContent = before.solved ? "You have solved this exercise." : before.attempts ? "" : UNWRITTEN;
}

// -- the record at the end of a chapter --------------------------------------------------------

function startRecord(place) {
  const ids = [...document.querySelectorAll("[data-exercise]")].map((exercise) => exercise.dataset.exercise);
  const count = make("p", place, "", { "aria-live": "polite" });
  const show = () => { count.textContent = `${ids.filter((id) => entry(id).solved).length} of ${ids.length} exercises of this page are solved.`; };
  const bar = make("p", place);
  make("button", bar, "Export my record", { type: "button" }).addEventListener("click", () => {
    const file = new Blob([JSON.stringify(exported(), null, 1)], { type: "application/json" }), link = make("a", null, "", { download: "record.json" });
    link.href = URL.createObjectURL(file);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    said.textContent = 'In JupyterLab, progress(import_from="record.json") reads the file.';
  });
  const label = make("label", bar, "Import a record "), input = make("input", label, "", { type: "file", accept: ".json,application/json" });
  const said = make("p", place, "", { role: "status" });
  input.addEventListener("change", async () => {
    if (!input.files.length) return;
    try {
      imported(await input.files[0].text());
      said.textContent = "Merged into the record of this browser: nothing of either is lost. Reload the page to see imported answers.";
    } catch (error) {
      said.textContent = error.message;
    }
    input.value = "";
    show();
  });
  document.addEventListener("c2c-record", show);
  window.addEventListener("storage", show);
  show();
}

if (settings.available) {
  const approach = new IntersectionObserver((seen) => seen.filter((one) => one.isIntersecting).forEach((one) => {
    approach.unobserve(one.target);
    start(one.target);
  }), { rootMargin: NEAR });
  const answerable = (place) => !place.hasAttribute("data-numpy") || settings.packages.includes("numpy");
  [...document.querySelectorAll("[data-exercise]:has(.c2c-solution)")].filter(answerable).forEach((place) => approach.observe(place));
  document.querySelectorAll("[data-exercises-record]").forEach((place) => { place.replaceChildren(); startRecord(place); });
}
