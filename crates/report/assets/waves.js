// Ports over time: truth as digital waves, numbers as stepped lines, members as bands; what the model
// has instead, and what was read.
const { ports, judged } = data;
const portHeights = ports.map((port) => (port.kind === "number" ? 64 : 36));
const portOffsets = [];
let portsHeight = 0;
for (const tall of portHeights) { portOffsets.push(portsHeight); portsHeight += tall; }
const portTop = (i) => axisHeight + lanes.length * laneHeight + portOffsets[i];
const portAt = (y) => ports.findIndex((_, i) => y >= portTop(i) && y < portTop(i) + portHeights[i]);

// A value for people.
function valueText(port, value) {
  if (value === null || value === undefined) return "?";
  if (port.kind === "truth") return value ? "true" : "false";
  return port.kind === "member" ? port.names[value] : number.format(value);
}

// The least and greatest number that is visible, also of the tolerances. From near, small changes are seen.
const scaledMax = 20000;
function scale(port) {
  if (port.kind === "truth") return { least: 0, most: 1 };
  let [least, most] = [Infinity, -Infinity];
  const take = (value) => { if (value !== null) { least = Math.min(least, value); most = Math.max(most, value); } };
  let [first, end] = visible(port.given.at);
  if (end - first > scaledMax) [first, end] = [0, port.given.at.length];
  for (let k = first; k < end; k++) {
    const value = port.given.value[k];
    take(value);
    if (value !== null) for (const [low, high] of port.tolerances) { take(value + low); take(value + high); }
  }
  for (let k = lowerBound(port.read.at, view.from); k < port.read.at.length && port.read.at[k] <= view.to; k++) take(port.read.value[k]);
  eachOther(port, (k) => { take(port.other.value[k]); take(port.other.low[k]); take(port.other.high[k]); });
  if (!(least <= most)) [least, most] = [0, 1];
  return least === most ? { least: least - 1, most: most + 1 } : { least, most };
}
function rescale() {
  for (const port of ports) if (port.kind !== "member") port.scale = scale(port);
}
function heightOf(i, value) {
  const { least, most } = ports[i].scale, space = portHeights[i] - 16;
  return portTop(i) + 8 + space * (1 - (value - least) / (most - least));
}
const colourOfPort = (port) => (port.role === "input" ? ink.input : ink.output);

function drawPortNames(pen) {
  ports.forEach((port, i) => {
    const top = portTop(i), middle = top + portHeights[i] / 2;
    if ((lanes.length + i) % 2 === 0) { pen.fillStyle = ink.lane; pen.fillRect(0, top, width, portHeights[i]); }
    mark(pen, 15, middle, port.role === "input", colourOfPort(port));
    const room = gutter - (port.kind === "number" ? 66 : 34);
    if (port.kind === "number") {
      pen.font = scaleFont;
      pen.fillStyle = ink.quiet;
      pen.textAlign = "right";
      const [most, least] = [short.format(port.scale.most), short.format(port.scale.least)];
      pen.fillText(most, gutter - 5, top + 9);
      pen.fillText(least, gutter - 5, top + portHeights[i] - 8);
      pen.font = textFont;
    }
    pen.fillStyle = ink.ink;
    pen.textAlign = "left";
    pen.fillText(fitted(pen, port.name, room), 26, middle);
  });
}
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

function drawPorts(pen) {
  ports.forEach((port, i) => {
    const colour = colourOfPort(port);
    drawTolerances(pen, port, i);
    if (port.kind === "member") drawMembers(pen, port, i, colour);
    else drawStepped(pen, port, i, colour);
    drawOthers(pen, port, i);
    drawReadings(pen, port, i, colour);
  });
}

// The first and last index of a list of instants that matter for what is visible.
function visible(at) {
  return [Math.max(0, lowerBound(at, view.from + 1) - 1), lowerBound(at, view.to + 1)];
}
// Where lines end: with the run, or at the edge of the drawing.
const rightEnd = () => Math.min(xAt(last), gutter + plotWidth() + 10);

function drawStepped(pen, port, i, colour) {
  const { at, value } = port.given;
  if (!at.length) return;
  let [k, end] = visible(at);
  const right = rightEnd();
  pen.strokeStyle = colour;
  pen.lineWidth = 1.6;
  pen.beginPath();
  let isDown = false, y = 0;
  while (k < end) {
    const x = Math.max(Math.round(xAt(at[k])), gutter - 4);
    let most = -Infinity, least = Infinity, final = null;
    // The values of one column of pixels are drawn as one line.
    do {
      final = value[k++];
      if (final !== null) { most = Math.max(most, final); least = Math.min(least, final); }
    } while (k < end && Math.round(xAt(at[k])) <= x);
    if (isDown) pen.lineTo(x, y);
    if (final === null) { isDown = false; continue; }
    if (!isDown) pen.moveTo(x, heightOf(i, final));
    if (most !== least) { pen.lineTo(x, heightOf(i, least)); pen.lineTo(x, heightOf(i, most)); }
    y = heightOf(i, final);
    pen.lineTo(x, y);
    isDown = true;
  }
  if (isDown) pen.lineTo(right, y);
  pen.stroke();
}

// A member as a band with its name; where they are too narrow, only their bounds.
function drawMembers(pen, port, i, colour) {
  const { at, value } = port.given;
  const [first, end] = visible(at);
  const top = portTop(i) + 7, tall = portHeights[i] - 14, right = rightEnd();
  let column = -1;
  for (let k = first; k < end; k++) {
    const from = Math.max(xAt(at[k]), gutter - 4), to = k + 1 < at.length ? Math.min(xAt(at[k + 1]), right) : right;
    if (to - from < 1 && Math.round(from) === column) continue;
    column = Math.round(from);
    member(pen, from, to, top, tall, colour, valueText(port, value[k]), 0.1);
  }
}
function member(pen, from, to, top, tall, colour, text, alpha) {
  const w = Math.max(to - from, 1);
  pen.fillStyle = colour;
  pen.globalAlpha = alpha;
  pen.fillRect(from, top, w, tall);
  pen.globalAlpha = 1;
  pen.strokeStyle = colour;
  pen.lineWidth = 1.2;
  pen.strokeRect(from + 0.5, top + 0.5, Math.max(w - 1, 0.5), tall - 1);
  const left = Math.max(from, gutter) + 6, room = to - left - 4;
  if (room < 14) return;
  const shown = fitted(pen, text, room);
  if (shown.length < 2 && shown !== text) return;
  pen.fillStyle = ink.ink;
  pen.textAlign = "left";
  pen.fillText(shown, left, top + tall / 2);
}

// Where a steered input may be: around what was given, or as a step says.
function drawTolerances(pen, port, i) {
  pen.fillStyle = ink.window;
  pen.globalAlpha = 0.24;
  const band = (from, to, low, high) => {
    const bottom = heightOf(i, low), top = heightOf(i, high);
    pen.fillRect(from, Math.min(top, bottom - 1), Math.max(to - from, 1), Math.max(bottom - top, 1));
  };
  if (port.kind === "number" && port.tolerances.length) {
    const { at, value } = port.given, [first, end] = visible(at), right = rightEnd();
    let column = -1;
    for (let k = first; k < end; k++) {
      const from = Math.max(xAt(at[k]), gutter - 4), to = k + 1 < at.length ? Math.min(xAt(at[k + 1]), right) : right;
      if (value[k] === null || (to - from < 0.5 && Math.round(from) === column)) continue;
      column = Math.round(from);
      for (const [low, high] of port.tolerances) band(from, to, value[k] + low, value[k] + high);
    }
  }
  if (port.kind === "number") {
    eachOther(port, (k, from, to) => {
      const { low, high } = port.other;
      if (low[k] !== null && high[k] !== null) band(from, to, low[k], high[k]);
    });
  }
  pen.globalAlpha = 1;
}
function eachOther(port, see) {
  const { from, to } = port.other;
  for (let k = Math.max(0, lowerBound(from, view.from) - 1); k < from.length && from[k] <= view.to; k++) {
    if (to[k] >= view.from) see(k, xAt(from[k]), Math.max(xAt(to[k]), xAt(from[k]) + 2));
  }
}

// What the model has instead: an input as steered, an output that the system does not have.
function drawOthers(pen, port, i) {
  const isInput = port.role === "input", colour = isInput ? ink.steered : ink.ink;
  const top = portTop(i), tall = portHeights[i];
  eachOther(port, (k, from, to) => {
    const value = port.other.value[k];
    pen.fillStyle = isInput ? ink.steered : ink.fail;
    pen.globalAlpha = 0.14;
    pen.fillRect(from, top + 1, to - from, tall - 2);
    pen.globalAlpha = 1;
    if (value === null) return;
    if (port.kind === "member") {
      member(pen, from, to, top + tall / 2 + 1, tall / 2 - 5, colour, valueText(port, value), 0.3);
      return;
    }
    const y = heightOf(i, value), given = givenAt(port, port.other.from[k]);
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.setLineDash(isInput ? [] : [4, 3]);
    pen.beginPath();
    if (given !== null) pen.moveTo(from, heightOf(i, given)); else pen.moveTo(from, y);
    pen.lineTo(from, y);
    pen.lineTo(to, y);
    if (given !== null) pen.lineTo(to, heightOf(i, given));
    pen.stroke();
    pen.setLineDash([]);
  });
}
function givenAt(port, ns) {
  const k = lowerBound(port.given.at, ns + 1) - 1;
  return k < 0 ? null : port.given.value[k];
}

// Readings are points: between them nothing is known.
function drawReadings(pen, port, i, colour) {
  const { at, value } = port.read;
  let before = -Infinity;
  for (let k = lowerBound(at, view.from); k < at.length && at[k] <= view.to; k++) {
    const x = xAt(at[k]);
    if (x - before < 1.5 || value[k] === null) continue;
    const y = port.kind === "member" ? portTop(i) + portHeights[i] / 2 : heightOf(i, value[k]);
    pen.fillStyle = colour;
    pen.beginPath();
    pen.moveTo(x, y - 5);
    pen.lineTo(x + 5, y);
    pen.lineTo(x, y + 5);
    pen.lineTo(x - 5, y);
    pen.fill();
    const room = (k + 1 < at.length ? xAt(at[k + 1]) : gutter + plotWidth() + 10) - x - 18, text = valueText(port, value[k]);
    if (pen.measureText(text).width < room && x - before > 12) {
      pen.fillStyle = ink.ink;
      pen.textAlign = "left";
      pen.fillText(text, x + 8, Math.min(Math.max(y, portTop(i) + 9), portTop(i) + portHeights[i] - 9));
    }
    before = x;
  }
}

// Steps and checks that did not pass: a mark below the axis.
const judgedFrom = runningMax(judged.from);
function drawJudged(pen) {
  let before = -Infinity;
  for (let k = lowerBound(judgedFrom, view.from); k < judged.from.length && judgedFrom[k] <= view.to; k++) {
    const x = xAt(judged.from[k]);
    if (x - before < 3) continue;
    before = x;
    pen.fillStyle = judged.verdict[k] === "fail" ? ink.fail : ink.unsure;
    pen.beginPath();
    pen.moveTo(x - 4, axisHeight - 7);
    pen.lineTo(x + 4, axisHeight - 7);
    pen.lineTo(x, axisHeight);
    pen.fill();
  }
}

// The part of the run that was asked for.
let place = null;
function drawPlace(pen) {
  if (!place) return;
  const from = xAt(place.from), w = Math.max(xAt(place.to) - from, 2);
  pen.strokeStyle = ink.steered;
  pen.lineWidth = 1.5;
  pen.strokeRect(Math.round(from) + 0.5, axisHeight - 4.5, Math.round(w), chartTop() + chartHeight - axisHeight + 4);
}
function showPlace(from, to, row) {
  place = { from, to };
  const span = to > from ? (to - from) * 3 : Math.max((whole.to - whole.from) / 40, data.unit);
  show(from - span, to + span);
  for (const other of document.querySelectorAll("tr[aria-current]")) other.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  byId("chosen").textContent = [...row.cells].map((cell) => cell.textContent).filter(Boolean).join(" · ");
  byId("timeline").scrollIntoView({ block: "start" });
  // The first port that was changed must be visible, also among hundreds.
  const changed = ports.findIndex((port) => { const k = lowerBound(port.other.from, from); return port.other.from[k] === from; });
  if (changed >= 0) canvas.parentElement.scrollTop = Math.max(0, portTop(changed) - 80);
  redraw();
}
for (const button of document.querySelectorAll("button[data-from]")) {
  button.addEventListener("click", () => showPlace(Number(button.dataset.from), Number(button.dataset.to), button.closest("tr")));
}

// What there is to say about a port at a place, line by line.
function portTip(x, y) {
  const i = portAt(y);
  if (i < 0) return [];
  const port = ports[i], ns = timeAt(x), lines = [];
  const k = lowerBound(port.given.at, ns + 1) - 1;
  if (k >= 0) {
    lines.push(`${port.name} = ${valueText(port, port.given.value[k])}`, `since ${units(port.given.at[k])} units`);
  }
  const { from, to, value, low, high } = port.other;
  const o = lowerBound(from, ns + 1) - 1;
  if (o >= 0 && to[o] >= ns) {
    lines.push(`${port.role === "input" ? "steered to" : "in the model"} ${valueText(port, value[o])}`);
    if (low[o] !== null || high[o] !== null) lines.push(`allowed ${valueText(port, low[o])} to ${valueText(port, high[o])}`);
  }
  if (k >= 0 && port.kind === "number") {
    for (const [least, most] of port.tolerances) {
      lines.push(`tolerance ${number.format(port.given.value[k] + least)} to ${number.format(port.given.value[k] + most)}`);
    }
  }
  const reach = 8 * (view.to - view.from) / plotWidth(), r = lowerBound(port.read.at, ns - reach);
  if (r < port.read.at.length && port.read.at[r] <= ns + reach) {
    lines.push(`read as ${valueText(port, port.read.value[r])} at ${units(port.read.at[r])} units`);
  }
  return lines.length ? lines : [port.name];
}

// `step 3: mode = On, level = 2`: the ports that changed with the step.
const listedMax = 8;
function stepLabel(i) {
  const changed = [];
  for (const port of ports) {
    const k = lowerBound(port.given.at, events.from[i]);
    if (port.given.at[k] !== events.from[i]) continue;
    if (changed.length === listedMax) { changed.push("…"); break; }
    changed.push(`${port.name} = ${valueText(port, port.given.value[k])}`);
  }
  const list = changed.length ? `: ${changed.join(", ")}` : "";
  return `step ${events.values[i][0]}${list}`;
}
