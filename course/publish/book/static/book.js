// Small things that a page of the book cannot say in HTML alone.

// Whatever scrolls sideways can be reached and scrolled with the keyboard.
const boxes = document.querySelectorAll(".bd-article :is(.formula, .output, .cell_output, .pst-scrollable-table-container, .c2c-frame, .c2c-table, .c2c-picture, pre)");
const reach = () => boxes.forEach((box) => {
  if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
  else box.removeAttribute("tabindex");
});
new ResizeObserver(reach).observe(document.querySelector(".bd-article") ?? document.body);
document.fonts.ready.then(reach);

// On paper, answers that nobody can open are shown.
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll(".bd-article details:not([open])")];
  for (const details of opened) details.open = true;
});
addEventListener("afterprint", () => opened.forEach((details) => { details.open = false; }));
