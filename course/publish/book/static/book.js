// Small things that a page of the book cannot say in HTML alone.

// Whatever scrolls sideways can be reached and scrolled with the keyboard.
const boxes = document.querySelectorAll(".bd-article :is(.formula, .output, .cell_output, .pst-scrollable-table-container, .c2c-frame, .c2c-table, .c2c-picture, pre)");
const reach = () => boxes.forEach((box) => {
  if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
  else box.removeAttribute("tabindex");
});
new ResizeObserver(reach).observe(document.querySelector(".bd-article") ?? document.body);
document.fonts.ready.then(reach);

// On paper: dark letters on white, and the answers to questions in the text. Hints and solutions stay folded.
let opened = [], theme = "";
addEventListener("beforeprint", () => {
  theme = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  opened = [...document.querySelectorAll(".bd-article section > details:not([open])")];
  for (const details of opened) details.open = true;
});
addEventListener("afterprint", () => {
  document.documentElement.dataset.theme = theme;
  for (const details of opened) details.open = false;
});

// The table of contents follows the reader, where it is longer than the window.
const contents = document.querySelector(".bd-sidebar-secondary");
if (contents) {
  const follow = () => {
    const place = contents.querySelector("a.active")?.getBoundingClientRect(), box = contents.getBoundingClientRect();
    if (!place) return;
    if (place.bottom > box.bottom - 40) contents.scrollTop += place.bottom - box.bottom + 40;
    else if (place.top < box.top + 40) contents.scrollTop += place.top - box.top - 40;
  };
  // The theme marks the last heading that came into sight, which lags behind in long sections and when scrolling up. Marked
  // is the last heading above a third of the window, or the last of all at the end of the page.
  const links = [...contents.querySelectorAll("#pst-page-toc-nav a[href^='#']")];
  const places = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  const current = () => {
    if (scrollY + innerHeight > document.documentElement.scrollHeight - 2) return links.at(-1);
    return links[places.findLastIndex((place) => place && place.getBoundingClientRect().top <= innerHeight / 3)];
  };
  const mark = () => {
    const now = current();
    for (const node of contents.querySelectorAll("#pst-page-toc-nav :is(a, .toc-entry)")) {
      const right = !!now && node.contains(now);
      if (node.classList.contains("active") !== right) node.classList.toggle("active", right);
      if (node.tagName === "A") right ? node.setAttribute("aria-current", "true") : node.removeAttribute("aria-current");
    }
    follow();
  };
  addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true });
  new MutationObserver(mark).observe(contents, { subtree: true, attributeFilter: ["class"] });
}

// On a phone the navigation lies over the page; it goes when a place has been chosen.
for (const drawer of document.querySelectorAll("dialog[id$='sidebar-modal']")) {
  drawer.addEventListener("click", (event) => event.target.closest("a") && drawer.close());
}
