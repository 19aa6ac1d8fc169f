// Frames a part of a machine that is drawn elsewhere on the page: of the row that is pointed at, or else of the state.
//
// A machine: { rows: {name of a row: part}, lit: part of the state, or "" }. Python has chosen the parts; a drawing brings
// the outline of each, unseen. The rule stands in a style sheet, so that a drawing which comes later has it, too.

export function makeMachine(root) {
  const sheet = document.createElement("style");
  let machine = null, row = null;
  const frame = () => {
    const part = machine?.rows[row] ?? machine?.lit;
    const rule = part ? `.c2c-parts [data-part=${JSON.stringify(part)}] { opacity: 1; }` : "";
    if (sheet.textContent !== rule) sheet.textContent = rule;
    if (rule && !sheet.parentNode) root.append(sheet);
  };
  return {
    show: (next) => { machine = next ?? null; frame(); },
    point: (next) => { row = next; frame(); },
  };
}
