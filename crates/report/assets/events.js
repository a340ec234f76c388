// The table of events: rows exist only while they can be seen.
const rowHeight = 28;
const rows = byId("rows"), space = byId("space"), search = byId("search");
let matches = [];

// The text of an event that a search looks at, made when it is asked for.
const texts = new Array(nEvents);
function textOf(i) {
  return texts[i] ??= `${eventLabel(i)} ${units(events.from[i])}`.toLowerCase();
}

function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const wants = { true: byId("inputs").checked, false: byId("outputs").checked };
  matches = [];
  for (let i = 0; i < nEvents; i++) {
    const lane = lanes[events.lane[i]];
    // A step has inputs and outputs.
    if (lane.kind === "step" ? !wants.true && !wants.false : !wants[lane.input]) continue;
    if (words.every((word) => textOf(i).includes(word))) matches.push(i);
  }
  space.style.height = matches.length * rowHeight + "px";
  rows.setAttribute("aria-rowcount", matches.length + 1);
  const all = `${number.format(nEvents)} ${nEvents === 1 ? "event" : "events"}`;
  byId("found").textContent = matches.length === nEvents ? all : `${number.format(matches.length)} of ${all}`;
  rows.scrollTop = 0;
  fillRows();
}

function cell(text, className) {
  const span = document.createElement("span");
  span.setAttribute("role", "cell");
  span.textContent = text;
  if (className) span.className = className;
  return span;
}
function fillRows() {
  const first = Math.max(0, Math.floor(rows.scrollTop / rowHeight) - 4);
  const end = Math.min(matches.length, first + Math.ceil(rows.clientHeight / rowHeight) + 8);
  const list = [];
  for (let k = first; k < end; k++) {
    const i = matches[k], row = document.createElement("div");
    row.className = "row";
    row.setAttribute("role", "row");
    row.setAttribute("aria-rowindex", k + 2);
    row.classList.toggle("chosen-row", i === chosen);
    row.classList.toggle("failing", Boolean(failure) && failure.event === i);
    row.style.top = k * rowHeight + "px";
    row.dataset.event = i;
    const set = events.set[i];
    row.append(cell(number.format(i + 1)), cell(units(events.from[i])), cell(seconds(events.from[i])),
      cell(eventLabel(i), lanes[events.lane[i]].kind === "step" ? "step" : lanes[events.lane[i]].input ? "in" : "out"), cell(hasSets ? `${sets.system[set]} / ${sets.environment[set]}` : ""));
    list.push(row);
  }
  space.replaceChildren(...list);
}

function reveal(i) {
  const k = lowerBound(matches, i);
  if (matches[k] !== i) return fillRows();
  const top = k * rowHeight, visible = rows.clientHeight - rowHeight * 2;
  if (top < rows.scrollTop || top > rows.scrollTop + visible) rows.scrollTop = Math.max(0, top - visible / 2);
  fillRows();
}

rows.addEventListener("scroll", fillRows);
space.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (row) choose(Number(row.dataset.event));
});
rows.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !matches.length) return;
  event.preventDefault();
  const k = chosen < 0 ? (step > 0 ? -1 : matches.length) : lowerBound(matches, chosen) - (step > 0 && matches[lowerBound(matches, chosen)] !== chosen ? 1 : 0);
  choose(matches[Math.min(matches.length - 1, Math.max(0, k + step))]);
});
document.addEventListener("chosen", (event) => reveal(event.detail));
search.addEventListener("input", find);
for (const id of ["inputs", "outputs"]) byId(id).addEventListener("change", find);
rows.style.height = (nEvents + 1) * rowHeight + 4 + "px";
new ResizeObserver(fillRows).observe(rows);
find();
if (failure && failure.event !== null) reveal(failure.event);
