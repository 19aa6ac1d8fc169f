// Which exercises and predictions come back on a day: the rule of `chip2cluster.review` for the record in a browser. A
// test compares the two.

export const INTERVALS = [1, 3, 7, 16, 35, 80];  // days until an item of each box comes back
export const MOST = 3;  // items a day
const LEAD = 7;  // days by which an exercise with a named mistake goes ahead
const OFF = 2;  // factor from which on a first guess comes back
const MANY = 4;  // attempts that count as slow
export const PARTS = { exercise: "exercises", prediction: "predictions" };

const DAY = 864e5;  // ms
const shifted = (day, days) => new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10);

export const today = () => new Date().toISOString().slice(0, 10);

export function position(entry) {
  if (entry.review) return { box: entry.review.box, day: entry.review.day };
  const day = entry.when?.slice(0, 10) || "1970-01-01";
  if ("guess" in entry || entry.solved_after_reveal || entry.attempts >= MANY) return { box: 0, day };
  return { box: entry.attempts > 1 || entry.hints ? 1 : 2, day };
}

export const due = ({ box, day }) => shifted(day, INTERVALS[box]);
export const move = ({ box }, right, day) => ({ box: right ? Math.min(box + 1, INTERVALS.length - 1) : 0, day });
export const isOff = (guess, truth) => Math.max(guess / truth, truth / guess) > OFF;

const order = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

// All items that come back at some time, most urgent first. `truths` has the true value of each prediction.
export function waiting(record, known, truths) {
  const found = [];
  for (const [id, entry] of Object.entries(record.exercises)) {
    const lead = Object.keys(entry.mistakes ?? {}).length ? LEAD : 0;
    if (entry.solved && known(id)) found.push({ kind: "exercise", id, due: due(position(entry)), lead });
  }
  for (const [id, entry] of Object.entries(record.predictions)) {
    if (id in truths && isOff(entry.guess, truths[id])) found.push({ kind: "prediction", id, due: due(position(entry)), lead: 0 });
  }
  found.sort((one, other) => order(shifted(one.due, -one.lead), shifted(other.due, -other.lead)) || order(one.due, other.due)
    || order(one.kind, other.kind) || order(one.id, other.id));
  return found.map(({ kind, id, due }) => ({ kind, id, due }));
}

export const draw = (items, day) => items.filter((item) => item.due <= day).slice(0, MOST);
export const drawn = (record) => ({ day: record.review?.day ?? "", items: record.review?.items ?? [] });

export function isOpen(record, kind, id) {
  const { day, items } = drawn(record), entry = record[PARTS[kind]][id];
  return items.some(([one, name]) => one === kind && name === id) && entry !== undefined && (entry.review?.day ?? "") < day;
}

// The latest of several positions or drawn reviews; of one day the first.
export const later = (...reviews) => reviews.filter(Boolean).reduce((best, one) => (best && best.day >= one.day ? best : one), undefined);

const isDay = (value) => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
const isPosition = (value) => value === undefined || (INTERVALS[value?.box] !== undefined && isDay(value.day));

export function isSound({ review, exercises = {}, predictions = {} }) {
  const items = review === undefined || (isDay(review?.day) && Array.isArray(review.items)
    && review.items.every((one) => Array.isArray(one) && one.length === 2 && one[0] in PARTS && typeof one[1] === "string"));
  return items && [...Object.values(exercises), ...Object.values(predictions)].every((entry) => isPosition(entry?.review));
}

// Why an item comes back, in the words of `autograder.student.review_view`, which come as data.
export function reason(kind, entry, place, { reasons, months }) {
  let words = "solved", when = entry.when ?? "", mistake = "";
  if (kind === "prediction") words = "guess";
  else if (Object.keys(entry.mistakes ?? {}).length) {
    words = "mistake";
    [mistake, when] = Object.entries(entry.mistakes).reduce((best, one) => (order(best[1], one[1]) || order(best[0], one[0])) < 0 ? one : best);
  } else if (entry.solved_after_reveal) words = "solution";
  else if (entry.attempts >= MANY) words = "slow";
  else if (entry.attempts > 1) words = "missed";
  else if (entry.hints) words = "hint";
  const values = { mistake, place, day: when ? spokenDay(when, months) : "an earlier day", attempts: entry.attempts };
  return reasons[words].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

export const spokenDay = (when, months) => `${Number(when.slice(8, 10))} ${months[Number(when.slice(5, 7)) - 1]}`;
