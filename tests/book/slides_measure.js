// Every slide of a deck, one after another: letters smaller than `least`, those of pictures smaller than `inPictures`, and what
// sticks out or is cut; with `ends`, wherever a strip gets when a control is moved to either end, too. In CSS pixels of the screen. Gives {slide: [what is wrong]} for all slides, most of them empty.
async ([least, inPictures, ends]) => {
  const SMALL = "msub, msup, msubsup, munder, mover, munderover, mfrac"; // formulas set these parts smaller by themselves
  const UNSEEN = ".c2c-table, .c2c-unmoved, .c2c-fixed, aside, title, desc, style, option";
  const found = {};
  const live = async (strip) => {
    for (let tries = 0; strip && strip.dataset.filmstripState !== "live"; tries++) {
      if (tries > 250) return false;
      await new Promise((done) => setTimeout(done, 20));
    }
    return true;
  };
  const measure = (slide) => {
    const wrong = [], scale = Reveal.getScale(), frame = slide.getBoundingClientRect();
    const number = document.querySelector(".slide-number").getBoundingClientRect();
    const onNumber = (box) => box.right > number.left && box.left < number.right && box.top < number.bottom && box.bottom > number.top;
    const seen = (node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest(UNSEEN);
    const inside = (box, text) => {
      if (box.width && (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1 || onNumber(box)))
        wrong.push(`sticks out: ${text.slice(0, 40)} ${[box.left, box.top, box.right, box.bottom].map(Math.round)}`);
    };
    const large = (node, text) => {
      const drawn = node.closest("svg"), unit = drawn ? drawn.getBoundingClientRect().width / drawn.viewBox.baseVal.width : scale;
      const size = parseFloat(getComputedStyle(node).fontSize) * unit;
      if (size < (drawn ? inPictures : least) - 0.1 && !node.closest(SMALL)) wrong.push(`${size.toFixed(1)} px: ${text.slice(0, 40)}`);
    };
    const walker = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT), range = document.createRange();
    for (let node; (node = walker.nextNode());) {
      if (!node.data.trim() || !seen(node.parentElement)) continue;
      large(node.parentElement, node.data.trim());
      range.selectNodeContents(node);
      inside(range.getBoundingClientRect(), node.data.trim());
    }
    for (const box of slide.querySelectorAll("select, button, input, .box, .equation")) if (seen(box)) {
      inside(box.getBoundingClientRect(), box.tagName);
      if (box.matches("select, button")) large(box, box.tagName);
    }
    for (const words of slide.querySelectorAll(".c2c-sentence"))
      if (seen(words) && words.scrollHeight > words.clientHeight + 1) wrong.push(`cut: ${words.scrollHeight} px in ${words.clientHeight}`);
    for (const image of slide.querySelectorAll("[role=img], img")) if (seen(image)) {
      const box = image.getBoundingClientRect();
      inside(box, "a picture");
      const [wide, high] = image.matches("img") ? [image.naturalWidth, image.naturalHeight] : image.style.aspectRatio.split("/").map(Number);
      const letters = 13 * Math.min(box.width / wide, box.height / high); // those of every picture are of 13 px
      if (letters < inPictures - 0.1) wrong.push(`${letters.toFixed(1)} px in a picture`);
    }
    return wrong;
  };
  await document.fonts.ready;
  for (const slide of Reveal.getSlides()) {
    const { h, v } = Reveal.getIndices(slide);
    Reveal.slide(h, v);
    const strip = slide.querySelector("[data-filmstrip]");
    const moving = await live(strip);
    if (strip) await new Promise(requestAnimationFrame);
    found[slide.id] = moving ? measure(slide) : ["stands still"];
    // Every control at its first and its last: what it says must fit as well.
    for (const control of ends && strip ? strip.querySelectorAll(".c2c-live :is(input[type=range], select)") : []) {
      const all = control.matches("select") ? [0, control.length - 1] : [control.min, control.max];
      for (const value of all) {
        control.value = value;
        control.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise(requestAnimationFrame);
        found[slide.id].push(...measure(slide).map((wrong) => `${wrong} (a control at ${value})`));
      }
    }
  }
  return found;
}
