// Drawing the timeline: only what is visible, and no more than there are pixels.
// Without state sets there is no chart of them.
const hasSets = sets.system.some((n) => n > 0) || !ports.length;
const laneHeight = lanes.length > 10 ? 26 : 32, axisHeight = 28, chartGap = hasSets ? 10 : 0;
const chartHeight = !hasSets ? 0 : lanes.length ? 76 : 60;
const chartTop = () => axisHeight + lanes.length * laneHeight + portsHeight + chartGap;
const textFont = "12px system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif";
const scaleFont = textFont.replace("12px", "10px");
const height = () => chartTop() + chartHeight + 8;
const overviewHeight = 30;
let gutter = 120, ink = {}, isAsked = false;

// The width is asked for once for each drawing: an answer may cost the browser a layout.
let width = canvas.clientWidth;
const plotWidth = () => Math.max(40, width - gutter - 10);
const xAt = (ns) => gutter + (ns - view.from) / (view.to - view.from) * plotWidth();
const timeAt = (x) => view.from + (x - gutter) / plotWidth() * (view.to - view.from);
function laneAt(y) {
  const lane = Math.floor((y - axisHeight) / laneHeight);
  return lane >= 0 && lane < lanes.length ? lane : -1;
}
const laneMiddle = (lane) => axisHeight + lane * laneHeight + laneHeight / 2;

function redraw() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => { isAsked = false; draw(); });
}

function context(element, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (element.width !== w || element.height !== h) { element.width = w; element.height = h; }
  element.style.height = height + "px";
  const pen = element.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = textFont;
  pen.textBaseline = "middle";
  return pen;
}
function readColours() {
  const style = getComputedStyle(document.body);
  for (const name of ["card", "ink", "quiet", "line", "lane", "input", "output", "window", "fail", "unsure", "steered", "verdict"]) {
    ink[name] = style.getPropertyValue("--" + name).trim() || "#888888";
  }
}
function fitted(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let length = text.length;
  while (length > 1 && pen.measureText(text.slice(0, length) + "…").width > width) length--;
  return text.slice(0, length) + "…";
}

function draw() {
  width = canvas.clientWidth;
  const pen = context(canvas, width, height());
  let widest = 0;
  for (const lane of lanes.slice(0, 200)) widest = Math.max(widest, pen.measureText(lane.name).width);
  for (const port of ports.slice(0, 400)) widest = Math.max(widest, pen.measureText(port.name).width + (port.kind === "number" ? 32 : 0));
  gutter = Math.min(Math.max(108, widest + 34), width * 0.32, 220);
  pen.fillStyle = ink.card;
  pen.fillRect(0, 0, width, height());
  rescale();
  drawLanes(pen);
  drawPortNames(pen);
  pen.save();
  pen.beginPath();
  pen.rect(gutter, 0, width - gutter, height());
  pen.clip();
  drawAxis(pen);
  drawWindows(pen);
  drawRestarts(pen);
  drawPorts(pen);
  drawJudged(pen);
  const shown = drawEvents(pen);
  drawSets(pen);
  drawPlace(pen);
  drawFailure(pen);
  drawPointer(pen);
  pen.restore();
  drawChartNames(pen);
  drawOverview();
  // For those who test or script the page.
  canvas.dataset.from = view.from / data.unit;
  canvas.dataset.to = view.to / data.unit;
  canvas.dataset.events = shown.events;
  canvas.dataset.marks = shown.marks;
}

function drawLanes(pen) {
  lanes.forEach((lane, i) => {
    const top = axisHeight + i * laneHeight;
    if (i % 2 === 0) { pen.fillStyle = ink.lane; pen.fillRect(0, top, width, laneHeight); }
    mark(pen, 15, laneMiddle(i), lane.input, colourOfLane(lane));
    pen.fillStyle = ink.ink;
    pen.textAlign = "left";
    pen.fillText(fitted(pen, lane.name, gutter - 34), 26, laneMiddle(i));
    pen.strokeStyle = ink.line;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(gutter, Math.round(laneMiddle(i)) + 0.5);
    pen.lineTo(width, Math.round(laneMiddle(i)) + 0.5);
    pen.stroke();
  });
}

const colourOfLane = (lane) => (lane.kind === "step" ? ink.quiet : lane.input ? ink.input : ink.output);
function mark(pen, x, y, isInput, colour) {
  pen.fillStyle = colour;
  pen.beginPath();
  if (isInput) { pen.moveTo(x - 5.5, y - 5); pen.lineTo(x + 5.5, y - 5); pen.lineTo(x, y + 5.5); pen.closePath(); }
  else pen.arc(x, y, 4.8, 0, 2 * Math.PI);
  pen.fill();
}

// Round numbers, far enough apart for their labels.
function drawAxis(pen) {
  const span = (view.to - view.from) / data.unit;
  const most = Math.max(2, Math.floor(plotWidth() / 90));
  let step = 10 ** Math.floor(Math.log10(span / most));
  for (const factor of [1, 2, 5, 10]) if (span / (step * factor) <= most) { step *= factor; break; }
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const format = new Intl.NumberFormat("en", { minimumFractionDigits: Math.min(digits, 12), maximumFractionDigits: Math.min(digits, 12) });
  pen.textAlign = "center";
  const bottom = chartTop() + chartHeight;
  for (let k = Math.ceil(Math.max(view.from, 0) / data.unit / step); k * step * data.unit <= view.to; k++) {
    const x = Math.round(xAt(k * step * data.unit)) + 0.5;
    pen.strokeStyle = ink.line;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x, axisHeight - 5);
    pen.lineTo(x, bottom);
    pen.stroke();
    pen.fillStyle = ink.quiet;
    pen.fillText(format.format(k * step), x, axisHeight / 2 - 1);
  }
}

// Windows that touch on the screen are drawn as one.
function drawWindows(pen) {
  const right = gutter + plotWidth() + 10;
  const pending = new Map();
  const flush = (lane) => {
    const shade = pending.get(lane);
    if (!shade) return;
    const top = laneMiddle(lane) - 11, [from, to] = shade.x, w = Math.max(to - from, 1.5);
    pen.fillStyle = ink.window;
    pen.globalAlpha = 0.2;
    pen.fillRect(from, top, w, 22);
    pen.globalAlpha = 1;
    if (w >= 3) {
      edge(pen, from, top, shade.isFromOpen);
      if (shade.right) edge(pen, from + w, top, shade.isToOpen);
    }
    pending.delete(lane);
  };
  for (let i = lowerBound(windowEndsMax, view.from); i < windows.from.length && windows.from[i] <= view.to; i++) {
    if (windowEnds[i] < view.from) continue;
    const lane = windows.lane[i];
    const from = Math.max(xAt(windows.from[i]), gutter - 4), to = Math.min(xAt(windowEnds[i]), right);
    const isWhole = windows.to[i] === windows.whole[i] && windows.to[i] >= 0;
    const shade = pending.get(lane);
    if (shade && from <= shade.x[1] + 1) {
      if (to >= shade.x[1]) { shade.x[1] = to; shade.right = isWhole; shade.isToOpen = windows.open[i] & 2; }
      continue;
    }
    flush(lane);
    pending.set(lane, { x: [from, to], right: isWhole, isFromOpen: windows.open[i] & 1, isToOpen: windows.open[i] & 2 });
  }
  for (const lane of [...pending.keys()]) flush(lane);
}
// A bound; one that is itself excluded is dashed.
function edge(pen, x, top, isOpen) {
  x = Math.round(x);
  pen.strokeStyle = ink.window;
  pen.lineWidth = 2;
  pen.setLineDash(isOpen ? [3, 3] : []);
  pen.beginPath();
  pen.moveTo(x, top);
  pen.lineTo(x, top + 22);
  pen.stroke();
  pen.setLineDash([]);
}

function drawRestarts(pen) {
  pen.strokeStyle = ink.quiet;
  pen.setLineDash([2, 4]);
  for (let i = lowerBound(data.restarts, view.from); i < data.restarts.length && data.restarts[i] <= view.to; i++) {
    const x = Math.round(xAt(data.restarts[i])) + 0.5;
    pen.beginPath();
    pen.moveTo(x, axisHeight - 4);
    pen.lineTo(x, chartTop() + chartHeight);
    pen.stroke();
  }
  pen.setLineDash([]);
}

// One mark for each event; where there is no room for that, a histogram along each lane.
function drawEvents(pen) {
  const first = lowerBound(eventEndsMax, view.from - 10 * (view.to - view.from) / plotWidth());
  let end = lowerBound(eventFromMax, view.to);
  while (end < nEvents && events.from[end] <= view.to) end++;
  const shown = { events: end - first, marks: 0 };
  if (end - first > plotWidth() * Math.max(0.6, lanes.length / 8)) drawCrowd(pen, first, end, shown);
  else for (let i = first; i < end; i++) { drawEvent(pen, i); shown.marks++; }
  if (chosen >= 0) ring(pen, xAt(events.from[chosen]), laneMiddle(events.lane[chosen]), ink.ink);
  return shown;
}
function drawEvent(pen, i) {
  const lane = events.lane[i], x = xAt(events.from[i]), to = xAt(events.to[i]), y = laneMiddle(lane);
  const colour = colourOfLane(lanes[lane]);
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(x, y - 11);
  pen.lineTo(x, y + 11);
  pen.stroke();
  if (to - x > 1) { pen.globalAlpha = 0.35; pen.fillStyle = colour; pen.fillRect(x, y - 3, to - x, 6); pen.globalAlpha = 1; }
  mark(pen, x, y, lanes[lane].input, colour);
  if (events.values[i]) valueOf(pen, i, x, y);
}
const binWidth = 2;
function drawCrowd(pen, first, end, shown) {
  const n = Math.ceil((plotWidth() + 10) / binWidth);
  const counts = lanes.map(() => new Uint32Array(n));
  let most = 1;
  for (let i = first; i < end; i++) {
    const bin = Math.floor((xAt(events.from[i]) - gutter) / binWidth);
    if (bin >= 0 && bin < n) most = Math.max(most, ++counts[events.lane[i]][bin]);
  }
  counts.forEach((bins, lane) => {
    pen.fillStyle = colourOfLane(lanes[lane]);
    const bottom = laneMiddle(lane) + 12;
    bins.forEach((count, bin) => {
      if (!count) return;
      const tall = 3 + 21 * count / most;
      pen.fillRect(gutter + bin * binWidth, bottom - tall, binWidth, tall);
      shown.marks++;
    });
  });
}
// The values of an event, if the next one leaves room for them.
function valueOf(pen, i, x, y) {
  let next = i + 1;
  while (next < nEvents && next < i + 40 && events.lane[next] !== events.lane[i]) next++;
  const room = next < nEvents && events.lane[next] === events.lane[i] ? xAt(events.from[next]) - x - 16 : 200;
  const text = events.values[i].join(", ");
  if (pen.measureText(text).width > room) return;
  pen.fillStyle = ink.ink;
  pen.textAlign = "left";
  pen.fillText(text, x + 9, y - 6);
}
function ring(pen, x, y, colour) {
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.arc(x, y, 10, 0, 2 * Math.PI);
  pen.stroke();
}

function drawFailure(pen) {
  if (!failure || failure.at < view.from || failure.at > view.to) return;
  const x = xAt(failure.at);
  pen.strokeStyle = ink.verdict;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(x, axisHeight - 6);
  pen.lineTo(x, chartTop() + chartHeight);
  pen.stroke();
  if (failure.lane !== null) ring(pen, x, laneMiddle(failure.lane), ink.verdict);
  const width = pen.measureText(failure.word).width + 14;
  const left = Math.min(Math.max(x - width / 2, gutter), gutter + plotWidth() + 10 - width);
  pen.fillStyle = ink.verdict;
  pen.beginPath();
  pen.roundRect(left, 3, width, 20, 5);
  pen.fill();
  pen.fillStyle = ink.card;
  pen.textAlign = "center";
  pen.fillText(failure.word, left + width / 2, 13.5);
}
function drawPointer(pen) {
  if (pointer === null || pointer <= gutter) return;
  pen.strokeStyle = ink.quiet;
  pen.globalAlpha = 0.5;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(Math.round(pointer) + 0.5, axisHeight);
  pen.lineTo(Math.round(pointer) + 0.5, chartTop() + chartHeight);
  pen.stroke();
  pen.globalAlpha = 1;
}

// The sizes of the state sets, as steps; the greatest one of each pixel.
const setsMost = Math.max(1, sets.system.reduce((a, b) => Math.max(a, b), 0), sets.environment.reduce((a, b) => Math.max(a, b), 0));
const setsTime = runningMax(sets.at);
function drawSets(pen) {
  if (!hasSets) return;
  const top = chartTop(), bottom = top + chartHeight - 6;
  const yAt = (n) => bottom - Math.min(n, setsMost) / setsMost * (chartHeight - 18);
  for (const [list, colour, dash] of [[sets.system, ink.output, []], [sets.environment, ink.quiet, [4, 3]]]) {
    let i = Math.max(0, lowerBound(setsTime, view.from) - 1);
    if (!list.length) return;
    pen.strokeStyle = colour;
    pen.lineWidth = lowerBound(setsTime, view.to) - i > plotWidth() ? 0.6 : 1.5;
    pen.setLineDash(dash);
    pen.beginPath();
    let y = yAt(list[i]), x = Math.max(xAt(setsTime[i]), gutter - 2);
    pen.moveTo(x, y);
    while (i < list.length && setsTime[i] <= view.to) {
      const column = Math.round(xAt(setsTime[i]));
      let most = list[i], least = list[i], final = list[i];
      while (i < list.length && Math.round(xAt(setsTime[i])) === column) {
        most = Math.max(most, list[i]); least = Math.min(least, list[i]); final = list[i++];
      }
      pen.lineTo(column, y);
      if (most !== least && !dash.length) { pen.lineTo(column, yAt(least)); pen.lineTo(column, yAt(most)); }
      y = yAt(final);
      pen.lineTo(column, y);
    }
    pen.lineTo(Math.min(xAt(data.end), gutter + plotWidth() + 10), y);
    pen.stroke();
    pen.setLineDash([]);
  }
}
function drawChartNames(pen) {
  pen.textAlign = "left";
  pen.fillStyle = ink.quiet;
  pen.fillText("units", 10, axisHeight / 2 - 1);
  if (!hasSets) return;
  const top = chartTop();
  pen.strokeStyle = ink.line;
  pen.lineWidth = 1;
  pen.strokeRect(-1, top - 4.5, width + 2, chartHeight + 20);
  pen.textAlign = "left";
  pen.fillStyle = ink.ink;
  pen.fillText("states", 10, top + 12);
  pen.fillStyle = ink.output;
  pen.fillText("— system", 10, top + 34, gutter - 30);
  pen.fillStyle = ink.quiet;
  pen.fillText("╌ environment", 10, top + 54, gutter - 30);
  pen.textAlign = "right";
  pen.fillText(number.format(setsMost), gutter - 5, top + 12, gutter - 60);
  pen.fillText("0", gutter - 5, top + chartHeight - 7);
}
function stateTip(x, y) {
  if (!hasSets || y < chartTop() || !setsTime.length) return [];
  const i = lowerBound(setsTime, timeAt(x) + 1) - 1;
  return i < 0 ? [] : [`system: ${number.format(sets.system[i])} states`, `environment: ${number.format(sets.environment[i])} states`];
}

// Where events are dense, over the whole run.
let density = null;
function drawOverview() {
  const pen = context(overview, width, overviewHeight);
  const plot = Math.max(40, Math.floor(width - gutter - 10));
  if (!density || density.length !== plot) {
    density = new Float32Array(plot);
    for (let i = 0; i < nEvents; i++) {
      const at = Math.floor((events.from[i] - whole.from) / (whole.to - whole.from) * plot);
      density[Math.min(plot - 1, Math.max(0, at))]++;
    }
  }
  const most = Math.max(1, density.reduce((a, b) => Math.max(a, b), 0));
  pen.fillStyle = ink.card;
  pen.fillRect(0, 0, width, overviewHeight);
  pen.fillStyle = ink.quiet;
  pen.textAlign = "left";
  pen.fillText("whole run", 10, overviewHeight / 2, gutter - 14);
  density.forEach((n, x) => {
    if (!n) return;
    const tall = 4 + (overviewHeight - 8) * Math.sqrt(n / most);
    pen.fillRect(gutter + x, overviewHeight - 2 - tall * 0.9, 1, tall * 0.9);
  });
  const at = (ns) => gutter + (ns - whole.from) / (whole.to - whole.from) * plot;
  pen.fillStyle = ink.input;
  pen.globalAlpha = 0.16;
  pen.fillRect(at(view.from), 0, Math.max(3, at(view.to) - at(view.from)), overviewHeight);
  pen.globalAlpha = 1;
  pen.strokeStyle = ink.input;
  pen.strokeRect(at(view.from) + 0.5, 0.5, Math.max(3, at(view.to) - at(view.from)) - 1, overviewHeight - 1);
  if (failure) { pen.fillStyle = ink.verdict; pen.fillRect(at(failure.at) - 1, 0, 2, overviewHeight); }
}

readColours();
new ResizeObserver(redraw).observe(canvas);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); draw(); });
addEventListener("beforeprint", () => { document.documentElement.classList.add("printing"); readColours(); draw(); });
addEventListener("afterprint", () => { document.documentElement.classList.remove("printing"); readColours(); draw(); });
if (failure && nEvents > 12) showFailure();
draw();
