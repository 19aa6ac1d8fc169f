// Starts reveal.js, and gives the keyboard to a picture's controls while they have the focus.

const THEME = "chip2cluster.slides.theme";
const root = document.documentElement;

function paint(theme) {
  root.dataset.theme = theme;
}

function kept() {
  try { return localStorage.getItem(THEME); } catch { return null; }
}

function turn() {
  paint(root.dataset.theme === "dark" ? "light" : "dark");
  try { localStorage.setItem(THEME, root.dataset.theme); } catch { /* then it lives as long as the page */ }
}

const paper = /print-pdf/.test(location.search);
paint(paper ? "light" : kept() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));

const held = () => document.activeElement?.closest(".c2c");
// The keys of a clicker go on even where a slider has the focus; Escape gives the keyboard back.
const LEAVING = { PageDown: () => Reveal.next(), PageUp: () => Reveal.prev(), Escape: () => {} };
addEventListener("keydown", (event) => {
  if (!held() || !(event.key in LEAVING)) return;
  document.activeElement.blur();
  event.preventDefault();
  event.stopImmediatePropagation();
  LEAVING[event.key]();
}, true);

Reveal.initialize({
  width: 1280, height: 720, margin: 0, minScale: 0.2, maxScale: 4, center: false, hash: true, controls: false, slideNumber: "c/t",
  transition: matchMedia("(prefers-reduced-motion: reduce)").matches ? "none" : "fade", transitionSpeed: "fast", backgroundTransition: "none",
  navigationMode: "linear", pdfMaxPagesPerSlide: 1, pdfSeparateFragments: false, keyboardCondition: () => !held(),
  totalTime: 60 * Number(document.currentScript.dataset.minutes), plugins: [RevealNotes],
});
Reveal.addKeyBinding({ keyCode: 68, key: "D", description: "Dark or light" }, turn);

// A sentence that is too long for the place beside its picture stands below both, and stays there. It has no height before
// its slide is shown.
function place(words) {
  if (words && words.scrollHeight > words.clientHeight + 1) words.closest(".c2c").classList.add("c2c-below");
}
new MutationObserver((changes) => {
  for (const { target } of changes) {
    place(target.parentElement?.closest(".c2c-sentence") ?? target.closest?.(".c2c-sentence"));
    target.querySelectorAll?.(".c2c-sentence").forEach((words) => place(words));
  }
}).observe(document.querySelector(".slides"), { subtree: true, childList: true, characterData: true });
Reveal.on("slidechanged", ({ currentSlide }) => currentSlide.querySelectorAll(".c2c-sentence").forEach((words) => place(words)));
