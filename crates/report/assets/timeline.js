// The state of the timeline: what is shown of it, and how people move in it.
const data = JSON.parse(document.getElementById("data").textContent);
const { events, windows, sets, lanes, failure } = data;
const nEvents = events.from.length;
const byId = (id) => document.getElementById(id);
const canvas = byId("lanes"), overview = byId("overview"), tip = byId("tip");

// Numbers for people.
const number = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });
const units = (ns) => number.format(ns / data.unit);
const seconds = (ns) => (ns / 1e9).toFixed(9).replace(/(\.\d{3}\d*?)0+$/, "$1") + " s";

// `coin?`, `level(7)!`
function label(lane, values) {
  const list = values ? `(${values.join(", ")})` : "";
  return lanes[lane].name + list + (lanes[lane].input ? "?" : "!");
}
function eventLabel(i) {
  const { kind } = lanes[events.lane[i]];
  if (kind === "step") return stepLabel(i);
  return kind ? `${kind} ${events.values[i].join(", ")}` : label(events.lane[i], events.values[i]);
}

// The first index whose value is at least `wanted`; the list is in order.
function lowerBound(list, wanted) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < wanted) low = middle + 1; else high = middle;
  }
  return low;
}

// For each index the greatest value up to it, so that intervals can be searched.
function runningMax(list) {
  let most = -Infinity;
  return list.map((value) => (most = Math.max(most, value)));
}
const never = Number.MAX_VALUE;
const windowEnds = windows.to.map((to) => (to < 0 ? never : to));
const windowEndsMax = runningMax(windowEnds);
const eventEndsMax = runningMax(events.to);
// Events are in the order in which they were seen; an interval may begin before the last one ended.
const eventFromMax = runningMax(events.from);

// The whole run, with the windows that reach beyond its end.
const last = Math.max(data.end, ...windows.whole.slice(-50).filter((to) => to < 4 * data.end), 1);
const margin = last * 0.03 + 1;
const whole = { from: -margin * 0.4, to: last + margin };
const spanMin = Math.max(data.unit / 1000, 20);
let view = { ...whole };
let chosen = -1;
let pointer = null;

function show(from, to) {
  const span = Math.min(Math.max(to - from, spanMin), whole.to - whole.from);
  from = Math.min(Math.max(from, whole.from), whole.to - span);
  view = { from, to: from + span };
  redraw();
}
function zoom(factor, at = (view.from + view.to) / 2) {
  show(at - (at - view.from) * factor, at + (view.to - at) * factor);
}
function pan(share) {
  const step = (view.to - view.from) * share;
  show(view.from + step, view.to + step);
}
// The same span, moved so that `at` lies at a share of it.
function showFrom(share, at = 0) {
  const span = view.to - view.from;
  show(at + share * span, at + (1 + share) * span);
}
function fit() { show(whole.from, whole.to); }

// What led to the failure, and the windows that were open then.
function showFailure() {
  if (!failure) return;
  let from = failure.at, to = failure.at;
  const first = Math.max(0, (failure.event ?? nEvents - 1) - 8);
  if (nEvents) from = Math.min(from, events.from[first]);
  for (let i = windows.from.length - 1; i >= Math.max(0, windows.from.length - 12); i--) {
    if (windows.whole[i] >= failure.at || windows.to[i] < 0) {
      to = Math.max(to, windows.whole[i] < 0 ? windows.from[i] : windows.whole[i]);
    }
  }
  if (to - failure.at > 3 * (failure.at - from) && from < failure.at) to = failure.at + (failure.at - from);
  const space = (to - from) * 0.08 + data.unit;
  show(from - space, to + space);
}

function choose(i, isMoved = true) {
  chosen = i;
  byId("chosen").textContent = i < 0 ? "" : describe(i).join(" · ");
  if (i >= 0 && isMoved && (events.from[i] < view.from || events.to[i] > view.to)) {
    const half = (view.to - view.from) / 2;
    show(events.from[i] - half, events.from[i] + half);
  }
  redraw();
  document.dispatchEvent(new CustomEvent("chosen", { detail: i }));
}

// What there is to say about an event, line by line.
function describe(i) {
  const from = events.from[i], to = events.to[i];
  const instant = from === to ? `${units(from)} units` : `${units(from)} to ${units(to)} units`;
  const lines = [`${eventLabel(i)} at ${instant} (${seconds(from)})`];
  const lane = lanes[events.lane[i]];
  if (lane.values.length && events.values[i]) {
    lines.push(lane.values.map((name, k) => `${name} = ${events.values[i][k]}`).join(", "));
  }
  const set = events.set[i];
  lines.push(`event ${number.format(i + 1)} of ${number.format(nEvents)}`);
  if (hasSets) lines.push(`possible states: ${sets.system[set]} of the system, ${sets.environment[set]} of the environment`);
  if (failure && failure.event === i) lines.push(failure.word);
  return lines;
}
function describeWindow(i) {
  const open = windows.open[i];
  const end = windows.whole[i] < 0 ? "∞)" : units(windows.whole[i]) + (open & 2 ? ")" : "]");
  return [`${label(windows.lane[i], windows.values[i])} allowed in ${open & 1 ? "(" : "["}${units(windows.from[i])}, ${end}`,
    `as known at ${units(windows.known[i])}`];
}

// The event nearest to a place, or -1.
function eventAt(x, y) {
  const lane = laneAt(y);
  if (lane < 0) return -1;
  const reach = 8 * (view.to - view.from) / plotWidth();
  const at = timeAt(x);
  let best = -1, distance = reach;
  for (let i = lowerBound(eventEndsMax, at - reach); i < nEvents && eventFromMax[i] <= at + reach * 4; i++) {
    if (events.lane[i] !== lane) continue;
    const gap = Math.max(events.from[i] - at, at - events.to[i], 0);
    if (gap < distance) { best = i; distance = gap; }
  }
  return best;
}
function windowsAt(x, y) {
  const lane = laneAt(y), at = timeAt(x), found = [];
  for (let i = lowerBound(windowEndsMax, at); i < windows.from.length && windows.from[i] <= at; i++) {
    if (windows.lane[i] === lane && windowEnds[i] >= at) found.push(i);
    if (found.length === 4) break;
  }
  return found;
}

function showTip(event) {
  const box = canvas.getBoundingClientRect();
  const x = event.clientX - box.left, y = event.clientY - box.top;
  pointer = x;
  const hit = eventAt(x, y);
  let lines = hit >= 0 ? describe(hit) : windowsAt(x, y).flatMap(describeWindow);
  if (!lines.length && x > gutter) lines = portTip(x, y);
  if (!lines.length && x > gutter) lines = [`${units(Math.round(timeAt(x)))} units`, ...stateTip(x, y)];
  tip.hidden = !lines.length || x <= gutter;
  tip.textContent = lines.join("\n");
  const space = document.documentElement.clientWidth - tip.offsetWidth - 6;
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, space)) + "px";
  const below = event.clientY + 18;
  const above = event.clientY - tip.offsetHeight - 12;
  tip.style.top = (below + tip.offsetHeight > innerHeight ? Math.max(2, above) : below) + "px";
  redraw();
}

// Moving by pointer: a drag moves, a click chooses.
let drag = null;
canvas.addEventListener("pointerdown", (event) => {
  drag = { x: event.clientX, view: { ...view }, isMoved: false };
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", (event) => {
  if (!drag) return showTip(event);
  const shift = event.clientX - drag.x;
  if (Math.abs(shift) > 3) { drag.isMoved = true; tip.hidden = true; }
  const step = shift * (drag.view.to - drag.view.from) / plotWidth();
  if (drag.isMoved) show(drag.view.from - step, drag.view.to - step);
});
canvas.addEventListener("pointerup", (event) => {
  if (drag && !drag.isMoved) {
    const box = canvas.getBoundingClientRect();
    choose(eventAt(event.clientX - box.left, event.clientY - box.top));
  }
  drag = null;
});
canvas.addEventListener("pointercancel", () => { drag = null; });
canvas.addEventListener("pointerleave", () => { pointer = null; tip.hidden = true; redraw(); });
canvas.addEventListener("dblclick", (event) => {
  zoom(0.4, timeAt(event.clientX - canvas.getBoundingClientRect().left));
});
canvas.addEventListener("wheel", (event) => {
  const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.shiftKey ? event.deltaY : 0;
  if (sideways) { event.preventDefault(); pan(sideways / plotWidth()); return; }
  // A page that is scrolled past the timeline is not caught by it.
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  zoom(Math.exp(event.deltaY * (event.deltaMode ? 0.05 : 0.0025)), timeAt(event.clientX - canvas.getBoundingClientRect().left));
}, { passive: false });

const actions = {
  in: () => zoom(0.5), out: () => zoom(2), fit, failure: showFailure,
  left: () => pan(-0.15), right: () => pan(0.15),
  start: () => showFrom(-0.04),
  end: () => showFrom(-0.94, data.end),
  next: () => choose(Math.min(nEvents - 1, chosen < 0 ? lowerBound(eventFromMax, view.from) : chosen + 1)),
  previous: () => choose(Math.max(0, (chosen < 0 ? lowerBound(eventFromMax, view.to) : chosen) - 1)),
  clear: () => choose(-1),
};
const keys = {
  ArrowLeft: "left", ArrowRight: "right", "+": "in", "=": "in", ArrowUp: "in", "-": "out",
  ArrowDown: "out", "0": "fit", Home: "start", End: "end", f: "failure", n: "next", p: "previous", Escape: "clear",
};
canvas.addEventListener("keydown", (event) => {
  const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
  if ((action === "next" || action === "previous") && !nEvents) return;
  event.preventDefault();
  actions[action]();
});
for (const button of document.querySelectorAll("[data-do]")) {
  button.addEventListener("click", () => actions[button.dataset.do]());
  if (button.dataset.do === "failure") button.hidden = !failure;
}

// The overview: where the view is in the whole run.
function moveTo(event) {
  const box = overview.getBoundingClientRect();
  const share = (event.clientX - box.left - gutter) / (box.width - gutter - 10);
  const at = whole.from + share * (whole.to - whole.from);
  const half = (view.to - view.from) / 2;
  show(at - half, at + half);
}
overview.addEventListener("pointerdown", (event) => { overview.setPointerCapture(event.pointerId); moveTo(event); });
overview.addEventListener("pointermove", (event) => { if (event.buttons) moveTo(event); });
