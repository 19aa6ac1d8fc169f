// Small things that a page of the book cannot say in HTML alone.

// Whatever scrolls sideways can be reached and scrolled with the keyboard.
const boxes = document.querySelectorAll(".bd-article :is(.formula, .output, .cell_output, .pst-scrollable-table-container, .c2c-frame, .c2c-table, .c2c-picture, pre)");
const reach = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth + 1) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
boxes.forEach((box) => reach.observe(box));

// On paper, answers that nobody can open are shown.
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll(".bd-article details:not([open])")];
  for (const details of opened) details.open = true;
});
addEventListener("afterprint", () => opened.forEach((details) => { details.open = false; }));
