// Search leads to sections: below each page that Sphinx's search has found, the sections of it that hold all the words;
// below an entry of the glossary, the entry.

const MOST = 4, AROUND = 60; // sections a page, characters around the first word
const words = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
const results = document.querySelector("#search-results");
const pages = new Map(), seen = new WeakSet();

// A page of the book, as a document.
async function load(found) {
  const answer = await fetch(found);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

// A page as its sections: those with a heading, each without the sections inside it.
async function sections(address) {
  const page = await load(address);
  return [...page.querySelectorAll("section[id]")].map((section) => {
    const own = section.cloneNode(true);
    own.querySelectorAll("section, script, style, .headerlink").forEach((node) => node.remove());
    const title = own.querySelector("h1, h2, h3, h4"), heading = title?.textContent.trim() ?? "";
    title?.remove();
    return { id: section.id, heading, text: own.textContent.replace(/\s+/g, " ").trim() };
  });
}

function around(text) {
  const at = Math.max(0, text.toLowerCase().indexOf(words[0])); // where only the heading has it: how the section begins
  const [start, end] = [Math.max(0, at - AROUND), at + words[0].length + AROUND];
  const cut = text.slice(start, end).replace(start ? /^\S*\s/ : "", "").replace(end < text.length ? /\s\S*$/ : "", "");
  return `${start ? "… " : ""}${cut}${end < text.length ? " …" : ""}`;
}

// Below a result that is an entry of the glossary, the entry.
async function define(link) {
  const [address, place] = link.href.split("#");
  const entry = (await load(address)).getElementById(decodeURIComponent(place));
  if (!entry) return;
  const definition = document.createElement("p");
  definition.className = "c2c-definition";
  definition.textContent = entry.textContent.replace(/\s+/g, " ").trim();
  link.textContent = `Glossary: ${entry.querySelector("strong")?.textContent ?? link.textContent}`;
  link.after(definition);
}

async function complete(item) {
  const link = item.querySelector("a");
  if (link && !seen.has(item) && new URL(link.href).pathname.endsWith("/glossary.html") && link.hash.length > 2) {
    seen.add(item);
    return define(link);
  }
  const address = link?.href.split("#")[0].split("?")[0];
  if (!address?.endsWith(".html") || seen.has(item)) return;
  seen.add(item);
  if (!pages.has(address)) pages.set(address, sections(address));
  const found = (await pages.get(address)).filter(({ heading, text }) => heading && words.every((word) => `${heading} ${text}`.toLowerCase().includes(word)));
  const here = decodeURIComponent(link.href.split("#")[1] ?? "");
  if (here || !found.length) return; // a result that is a section already needs no more
  const inHeading = ({ heading }) => words.every((word) => heading.toLowerCase().includes(word));
  found.sort((one, other) => inHeading(other) - inHeading(one));
  const list = document.createElement("ul");
  list.className = "c2c-sections";
  for (const { id, heading, text } of found.slice(0, MOST)) {
    const entry = document.createElement("li"), name = document.createElement("a"), part = document.createElement("span");
    name.href = `${address}#${encodeURIComponent(id)}`;
    name.textContent = heading;
    part.textContent = around(text);
    entry.append(name, part);
    list.append(entry);
  }
  link.after(list);
}

if (results && words.length) {
  const look = () => results.querySelectorAll("ul.search > li").forEach(complete);
  new MutationObserver(look).observe(results, { childList: true, subtree: true });
  look();
}
