"use strict";
// The page shows hints at once; the browser's own would come late and cover them.
for (const title of document.querySelectorAll("svg title")) {
  title.parentNode.dataset.hint = title.textContent;
  title.remove();
}
const tip = document.getElementById("tip");

// The values under the pointer, if it is on a pane.
function place(event) {
  const numbers = (text) => text.split(" ").map(Number);
  const short = (value) => String(Number(value.toPrecision(4)));
  for (const pane of document.querySelectorAll(".pane")) {
    const box = pane.getBoundingClientRect();
    const right = (event.clientX - box.left) / box.width;
    const up = (box.bottom - event.clientY) / box.height;
    if (right < 0 || right > 1 || up < 0 || up > 1) continue;
    const [x0, x1] = numbers(pane.dataset.x);
    const [y0, y1] = numbers(pane.dataset.y);
    return `(${short(x0 + right * (x1 - x0))}, ${short(y0 + up * (y1 - y0))})`;
  }
  return null;
}

document.addEventListener("pointermove", (event) => {
  const hint = event.target.closest("[data-hint]");
  const lines = [hint && hint.dataset.hint, place(event)].filter(Boolean);
  tip.style.display = lines.length ? "block" : "none";
  tip.textContent = lines.join("\n");
  const space = document.documentElement.clientWidth - tip.offsetWidth - 4;
  tip.style.left = Math.max(0, Math.min(event.clientX + 14, space)) + "px";
  tip.style.top = (event.clientY + 16) + "px";
});
