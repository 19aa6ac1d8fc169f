// Fills a list, under headings where its options have some, and lets a reader find one in a long list by a part of its name.

const LONG = 20; // options, from which there is a field to search

// The field to search lies beside the name of the list; the list then shows the options that have what is typed, and Enter takes the first.
function makeFinder(field, head, fill) {
  const find = document.createElement("input");
  Object.assign(find, { type: "search", className: "c2c-find", placeholder: "Find", autocomplete: "off" });
  find.setAttribute("aria-label", "Search the list");
  find.setAttribute("aria-controls", field.id);
  head.append(find);
  const clear = () => { if (find.value) { find.value = ""; fill(); } };
  find.addEventListener("input", fill);
  find.addEventListener("blur", (event) => { if (event.relatedTarget !== field) clear(); });
  field.addEventListener("change", clear);
  field.addEventListener("blur", clear);
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    const [first] = [...field.options].filter((option) => fits(`${option.parentElement.label ?? ""} ${option.text}`, find.value));
    if (first && find.value) {
      field.value = first.value;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.focus();
      clear();
    }
  });
  return find;
}

const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ");
// Whether every word that is typed is in a text.
function fits(text, typed) {
  return plain(typed).split(" ").every((word) => plain(text).includes(word));
}

// `head` is the line with the name of the list.
export function makeList(field, head) {
  let texts = [], groups = [], find = null;
  const fill = () => {
    const present = field.value, heads = new Map(), nodes = [];
    texts.forEach((text, at) => {
      // The one that is chosen stays, for a list always shows it.
      if (find?.value && !fits(`${groups[at] ?? ""} ${text}`, find.value) && String(at) !== present) return;
      const option = new Option(text, at);
      const head = groups[at];
      if (!head) return nodes.push(option);
      if (!heads.has(head)) {
        const group = document.createElement("optgroup");
        group.label = head;
        heads.set(head, group);
        nodes.push(group);
      }
      heads.get(head).append(option);
    });
    field.replaceChildren(...nodes);
    if (present) field.value = present;
  };
  return (nextTexts, nextGroups = []) => {
    [texts, groups] = [nextTexts, nextGroups];
    if (!find && texts.length >= LONG) find = makeFinder(field, head, fill);
    if (find) find.hidden = texts.length < LONG;
    fill();
  };
}
