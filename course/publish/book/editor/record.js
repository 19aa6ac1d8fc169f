// The reader's record in this browser: answers and attempts at exercises here, guesses and notes as predictions.js keeps
// them. Exported, it is the record that `progress(import_from=...)` reads in JupyterLab, and the other way round.

import { drawn, isOpen, isSound, later, move, PARTS, position, today } from "./review.js";

const FORMAT = 1;
const KEYS = { predictions: "chip2cluster.predictions.1", notes: "chip2cluster.notes.1", exercises: "chip2cluster.exercises.1", review: "chip2cluster.review.1" };
const passing = {};  // what a browser that keeps nothing holds until the page is left

const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function read(part) {
  try {
    const text = localStorage.getItem(KEYS[part]);
    if (text === null) return passing[part] ?? {};
    try {
      const value = JSON.parse(text);
      if (isRecord(value)) return value;
    } catch { /* damaged: set aside below */ }
    localStorage.setItem(`${KEYS[part]}.damaged`, text);
    localStorage.removeItem(KEYS[part]);
  } catch { /* nothing can be kept here */ }
  return passing[part] ?? {};
}

function write(part, value) {
  passing[part] = value;
  try { localStorage.setItem(KEYS[part], JSON.stringify(value)); return true; } catch { return false; }
}

const NEW = { attempts: 0, solved: false, hints: 0, revealed: false };

export const exercises = () => read("exercises");
export const entry = (id) => ({ ...NEW, ...exercises()[id] });

// Returns whether the browser keeps it.
const change = (id, values) => write("exercises", { ...exercises(), [id]: { ...entry(id), ...values } });

export const keepAnswer = (id, answer) => change(id, { answer });

// The number of the reader's draw among so many: the same each time, and the next one when the exercise comes back.
export function drawNumber(id, count) {
  const now = record(), { day } = drawn(now), before = entry(id).draw;
  const draw = Number.isInteger(before?.[0]) ? before : [Math.floor(Math.random() * count), ""];
  const back = isOpen(now, "exercise", id) && draw[1] !== day;
  const kept = back ? [(draw[0] + 1) % count, day] : draw;
  change(id, { draw: kept });
  return kept[0] % count;
}

// The same rules as `journal.attempt`: once an exercise is solved, later attempts do not count.
export function attempt(id, { heading, correct, mistake }) {
  const before = entry(id), when = new Date().toISOString();
  if (before.solved) return change(id, { when, review: position(before) });  // or `when` would postpone its review
  const mistakes = mistake ? { mistakes: { [mistake]: when, ...before.mistakes } } : {};
  const solved = correct ? { solved_after_reveal: before.revealed } : {};
  return change(id, { attempts: before.attempts + 1, verdict: heading, solved: correct, when, ...mistakes, ...solved });
}

export const noteHints = (id, hints) => change(id, { hints: Math.max(entry(id).hints, hints) });
export const noteSolution = (id) => change(id, { revealed: true });

const drawnReview = () => { const found = read("review"); return "day" in found ? { review: found } : {}; };

// All that a review needs, see review.js.
export const record = () => ({ exercises: exercises(), predictions: read("predictions"), ...drawnReview() });

export const drawReview = (day, items) => write("review", { day, items: items.map(({ kind, id }) => [kind, id]) });

// The same rules as `journal.repeat`: returns the entry, or null if this is no open item of the last review.
export function repeat(kind, id, right, mistake = "") {
  const now = record();
  if (!isOpen(now, kind, id)) return null;
  const entry = { ...now[PARTS[kind]][id] }, { day } = drawn(now);
  entry.review = move(position(entry), right, today() > day ? today() : day);
  if (mistake) entry.mistakes = { [mistake]: new Date().toISOString(), ...entry.mistakes };
  write(PARTS[kind], { ...now[PARTS[kind]], [id]: entry });
  return entry;
}

export function exported() {
  const predictions = Object.fromEntries(
    Object.entries(read("predictions")).map(([id, one]) => [id, { ...one, when: one.when ?? new Date(0).toISOString() }]));
  return { format: FORMAT, predictions, notes: read("notes"), exercises: exercises(), ...drawnReview() };
}

const isText = (value) => typeof value === "string";
const NOT_A_RECORD = "This file is not an exported record of the course; nothing was changed.";

function checked(text) {
  let record;
  try { record = JSON.parse(text); } catch { throw new RangeError(NOT_A_RECORD); }
  const parts = isRecord(record) && record.format === FORMAT && ["predictions", "notes", "exercises"].every((part) => isRecord(record[part] ?? {}));
  const sound = parts
    && Object.values(record.predictions ?? {}).every((one) => one?.guess > 0 && isText(one.when))
    && Object.values(record.notes ?? {}).every((all) => Array.isArray(all) && all.every((one) => isText(one?.text) && isText(one.when)))
    && Object.values(record.exercises ?? {}).every((one) => Number.isInteger(one?.attempts) && Number.isInteger(one.hints))
    && isSound(record);
  if (!sound) throw new RangeError(NOT_A_RECORD);
  return record;
}

const ahead = (one, other) => (one.solved === other.solved ? one.attempts > other.attempts : one.solved);

const withReview = (entry, ...entries) => {
  const review = later(...entries.map((one) => one?.review));
  return review ? { ...entry, review } : entry;
};

// The same rules as `journal.import_from`: earlier guesses, solved or longer tried exercises, all notes. Nothing is lost.
export function imported(text) {
  const record = checked(text), merged = { predictions: read("predictions"), notes: read("notes"), exercises: exercises() };
  for (const [id, one] of Object.entries(record.predictions ?? {})) {
    const mine = merged.predictions[id];
    if (!mine || one.when < (mine.when ?? "")) merged.predictions[id] = { ...one, typed: one.typed ?? String(one.guess) };
    merged.predictions[id] = withReview(merged.predictions[id], mine, one);
  }
  for (const [place, all] of Object.entries(record.notes ?? {})) {
    const mine = merged.notes[place] ?? [], known = (one) => mine.some((other) => other.text === one.text && other.when === one.when);
    merged.notes[place] = [...mine, ...all.filter((one) => !known(one))].sort((one, other) => one.when.localeCompare(other.when));
  }
  for (const [id, one] of Object.entries(record.exercises ?? {})) {
    const mine = merged.exercises[id], best = !mine || ahead(one, mine) ? one : mine;
    const mistakes = { ...one.mistakes };
    for (const [name, when] of Object.entries(mine?.mistakes ?? {})) if (!(mistakes[name] < when)) mistakes[name] = when;
    merged.exercises[id] = { ...best, ...((mine?.answer ?? one.answer) === undefined ? {} : { answer: mine?.answer ?? one.answer }) };
    if (Object.keys(mistakes).length) merged.exercises[id].mistakes = mistakes;
    merged.exercises[id] = withReview(merged.exercises[id], mine, one);
  }
  const review = later(drawnReview().review, record.review);
  if (review) merged.review = review;
  Object.entries(merged).forEach(([part, value]) => write(part, value));
  window.dispatchEvent(new StorageEvent("storage", { key: null }));  // forms on this page show it
}
