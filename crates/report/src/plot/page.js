"use strict";
// The page shows hints at once; the browser's own would come late and cover them.
for (const title of document.querySelectorAll("svg title")) {
  title.parentNode.dataset.hint = title.textContent;
  title.remove();
}
const tip = document.getElementById("tip");

// The value at a share of a range.
function value(range, share) {
  const [low, high] = range.split(" ").map(Number);
  return String(Number((low + share * (high - low)).toPrecision(4)));
}

// The values under the pointer, if it is on a pane.
function place(event) {
  for (const pane of document.querySelectorAll(".pane")) {
    const box = pane.getBoundingClientRect();
    const right = (event.clientX - box.left) / box.width;
    const up = (box.bottom - event.clientY) / box.height;
    if (right < 0 || right > 1 || up < 0 || up > 1) continue;
    const x = value(pane.dataset.x, right);
    return pane.dataset.y ? `pointer at (${x}, ${value(pane.dataset.y, up)})` : `pointer at ${x}`;
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
