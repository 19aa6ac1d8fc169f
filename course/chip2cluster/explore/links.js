// Mark, row and words that belong together light up together: under a pointer, and while a row has the focus.
//
// A mark of the picture and a row of the table have `data-row`, the name of the row; `links` of a frame are pieces of the
// sentence with the name of their row.

export const LINK_SHEET = `[data-row] { pointer-events: auto; transition: opacity 0.12s; }
  .c2c-dim [data-row]:not(.c2c-lit) { opacity: 0.25; }`;
const LIT = "c2c-lit";

// `point` is told the name of the row.
export function makeLinks(root, table, sentence, image, point) {
  let lit = null, pointed = null, said = "", linked = "";
  const all = () => [table, sentence, image.shadowRoot].flatMap((place) => [...place.querySelectorAll("[data-row]")]);
  const light = (row) => {
    lit = row;
    point(row);
    const nodes = all();
    // Where nothing else belongs to it, there is nothing to show.
    const one = nodes.filter((node) => node.dataset.row === row).length < 2;
    for (const node of nodes) node.classList.toggle(LIT, !one && node.dataset.row === row);
    const marked = !one && nodes.some((node) => node.dataset.row === row && !root.contains(node));
    image.shadowRoot.querySelector("div").classList.toggle("c2c-dim", marked);
  };
  const rowOf = (event) => event.composedPath().find((node) => node.dataset?.row !== undefined)?.dataset.row ?? null;
  const focused = () => (table.contains(document.activeElement) ? document.activeElement.dataset.row ?? null : null);
  const follow = () => light(pointed ?? focused());
  root.addEventListener("pointerover", (event) => { if (rowOf(event) !== pointed) { pointed = rowOf(event); follow(); } });
  root.addEventListener("pointerleave", () => { pointed = null; follow(); });
  table.addEventListener("focusin", follow);
  table.addEventListener("focusout", () => { if (!pointed) light(null); });
  // The table is one stop of the Tab key, and the arrows lead from row to row.
  const rows = () => {
    const others = new Set(all().filter((node) => node.tagName !== "TR").map((node) => node.dataset.row));
    return [...table.querySelectorAll("tr[data-row]")].filter((row) => others.has(row.dataset.row));
  };
  const stops = (present) => rows().forEach((row, place) => { row.tabIndex = row === present || (!present && !place) ? 0 : -1; });
  table.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], each = rows(), place = each.indexOf(document.activeElement);
    if (!step || place < 0) return;
    event.preventDefault();
    const next = each[Math.min(Math.max(place + step, 0), each.length - 1)];
    stops(next);
    next.focus();
  });

  // The sentence with its links as elements. It reads as before.
  const say = (text, links) => {
    if (said === text && linked === JSON.stringify(links)) return;
    [said, linked] = [text, JSON.stringify(links)];
    const pieces = links.map(([words, row]) => ({ row, at: text.indexOf(words), end: text.indexOf(words) + words.length }))
      .filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at);
    const parts = [];
    let done = 0;
    for (const { row, at, end } of pieces) {
      if (at < done) continue;
      const words = document.createElement("span");
      words.dataset.row = row;
      words.textContent = text.slice(at, end);
      parts.push(text.slice(done, at), words);
      done = end;
    }
    sentence.replaceChildren(...parts, text.slice(done));
  };

  // Before a new frame, the name of the row that has the focus; after it, the row of that name has it again.
  return {
    say,
    held: focused,
    update: (held) => {
      const same = held === null ? undefined : rows().find((row) => row.dataset.row === held);
      stops(same);
      if (same && same !== document.activeElement) same.focus({ preventScroll: true });
      follow();
    },
  };
}
