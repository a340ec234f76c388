// What must hold for the page of a run in a real browser.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import path from "node:path";
import { chromium } from "playwright-core";

const folder = process.argv[2];
const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

/// Opens a page, hands it to `look`, and insists that it was quiet and loaded nothing.
async function visit(name, options, look) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
  const complaints = [], requests = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => { complaints.push("a dialog"); dialog.dismiss(); });
  page.on("request", (request) => requests.push(request.url()));
  const url = pathToFileURL(path.join(folder, `${name}.html`)).href;
  await page.goto(url);
  await frame(page);
  await look(page);
  const kind = options.colorScheme || (options.viewport ? "narrow" : "light");
  await page.screenshot({ path: path.join(folder, `${name}-${kind}.png`), fullPage: true });
  assert.deepEqual(complaints, [], `${name}: the console is silent`);
  assert.deepEqual(requests, [url], `${name}: nothing is loaded`);
  await page.close();
  console.log(`ok ${name} ${kind}`);
}

/// Waits until what was asked for is drawn.
const frame = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/// The part of the run that is visible, in units of the model.
const range = (page) => page.$eval("#lanes", ({ dataset }) => [Number(dataset.from), Number(dataset.to)]);
const span = async (page) => { const [from, to] = await range(page); return to - from; };

/// How many pixels of the timeline have about the colour of a CSS variable.
const pixels = (page, variable) => page.evaluate((variable) => {
  const canvas = document.getElementById("lanes");
  const wanted = getComputedStyle(document.body).getPropertyValue(variable).trim();
  const [r, g, b] = wanted.match(/[0-9a-f]{2}/gi).map((digits) => parseInt(digits, 16));
  // A copy is read: the browser complains about canvases that are drawn to and read from.
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 24) count++;
  }
  return count;
}, variable);

async function press(page, key) {
  await page.focus("#lanes");
  await page.keyboard.press(key);
  await frame(page);
}

/// The place of an instant of a lane on the screen.
const place = (page, unit, lane) => page.evaluate(([unit, lane]) => {
  const box = document.getElementById("lanes").getBoundingClientRect();
  return { x: box.left + xAt(unit * data.unit), y: box.top + laneMiddle(lane) };
}, [unit, lane]);

async function failing(page) {
  assert.match(await page.title(), /^fail: run 0042/);
  assert.equal(await page.textContent("#verdict"), "fail");
  assert.match(await page.textContent(".headline"), /^weakCoffee! at 445\.000 s; allowed from 450\.000 s/);
  assert.match(await page.textContent("#diagnosis"), /it came after 5/);
  for (const colour of ["--input", "--output", "--window", "--fail"]) {
    assert.ok(await pixels(page, colour) > 40, `something is drawn in ${colour}`);
  }
  const [from, to] = await range(page);
  assert.ok(from < 440 && to > 470, `the failure is in view: ${from} to ${to}`);
  assert.equal(await page.textContent(".row.failing span:nth-child(4)"), "weakCoffee!");
  assert.ok(await page.isVisible("svg .faulty"), "the edge that was cut off is marked");

  await page.locator("#lanes").scrollIntoViewIfNeeded();
  const { x, y } = await place(page, 445, 2);
  await page.mouse.move(x, y);
  await frame(page);
  assert.match(await page.textContent("#tip"), /weakCoffee! at 445 units[^]*too early/);
  const shade = await place(page, 460, 2);
  await page.mouse.move(shade.x, shade.y);
  await frame(page);
  assert.match(await page.textContent("#tip"), /weakCoffee! allowed in \[450, 470\]/);
}

async function zooming(page) {
  const before = await span(page);
  await page.click("[data-do=in]");
  await frame(page);
  assert.ok(await span(page) < before * 0.6, "the button zooms in");
  await press(page, "-");
  assert.ok(Math.abs(await span(page) / before - 1) < 0.05, "a key zooms out");
  const [left] = await range(page);
  await press(page, "+");
  await press(page, "ArrowLeft");
  const [from] = await range(page);
  await press(page, "ArrowRight");
  assert.ok((await range(page))[0] > from, "keys move");
  const box = await page.locator("#lanes").boundingBox();
  const [x, y] = [box.x + box.width * 0.6, box.y + 60];
  const start = await range(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 120, y, { steps: 4 });
  await page.mouse.up();
  await frame(page);
  assert.ok((await range(page))[0] < start[0], "dragging to the right goes back in time");
  const wide = await span(page);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await frame(page);
  assert.ok(await span(page) < wide, "the wheel zooms");
  await press(page, "0");
  const [first, last] = await range(page);
  assert.ok(first <= Math.min(left, 0) && last >= before, "0 shows the whole run");
  await press(page, "n");
  assert.match(await page.textContent("#chosen"), / units .*event \d/, "an event is chosen by key, and told");
  assert.equal(await page.locator(".chosen-row").count(), 1, "its row is marked");
}

async function passing(page) {
  assert.equal(await page.textContent("#verdict"), "pass");
  assert.equal(await page.locator(".automata svg").count(), 3);
  assert.ok(await page.locator("svg .uncovered").count() > 0, "what is not covered is marked");
  assert.ok(await pixels(page, "--input") > 200);
  assert.ok(await page.isHidden("[data-do=failure]"));
  await page.fill("#search", "go[1]");
  const found = await page.textContent("#found");
  assert.match(found, /^\d+ of 60 events$/);
  assert.equal(await page.locator("#space .row").count(), Number(found.split(" ")[0]));
  await page.fill("#search", "");
  await page.uncheck("#inputs");
  assert.match(await page.textContent("#found"), /^26 of 60 events$/);
  await page.click("#space .row:nth-child(3)");
  assert.match(await page.textContent("#chosen"), /!/);
}

async function huge(page) {
  assert.match(await page.textContent("#found"), /^20,00\d events$/);
  assert.ok(await page.locator("#space .row").count() < 60, "only visible rows exist");
  const marks = await page.$eval("#lanes", ({ dataset }) => Number(dataset.marks));
  assert.ok(marks < 16 * 700, `no more marks than there is room for: ${marks}`);
  const ms = await page.evaluate(() => {
    const start = performance.now();
    for (let i = 0; i < 20; i++) { zoom(i % 2 ? 1 / 0.7 : 0.7); draw(); }
    return (performance.now() - start) / 20;
  });
  assert.ok(ms < 250, `a frame takes ${ms} ms`);
  for (let i = 0; i < 14; i++) await press(page, "+");
  const events = await page.$eval("#lanes", ({ dataset }) => Number(dataset.events));
  assert.ok(events < 100 && await span(page) < 100, "one can look closely");
  await press(page, "End");
  await page.$eval("#rows", (rows) => { rows.scrollTop = rows.scrollHeight; });
  await frame(page);
  assert.match(await page.textContent("#space .row:last-child span"), /^20,00\d$/);
}

async function hostile(page) {
  assert.equal(await page.textContent("#verdict"), "inconclusive");
  assert.equal(await page.locator("img, i, u, td b").count(), 0, "names are text");
  assert.match(await page.textContent("#space"), /<\/script><script>alert/);
  await press(page, "n");
}

async function steered(page) {
  assert.match(await page.textContent(".headline"), /^step 52: no allowed change/);
  assert.match(await page.textContent(".facts"), /linux x86_64/);
  const first = await range(page);
  assert.ok(first[0] < 52 && first[1] > 53, `the failure is in view: ${first}`);
  await page.click("[data-do=fit]");
  await frame(page);
  for (const colour of ["--input", "--output", "--steered", "--fail"]) {
    assert.ok(await pixels(page, colour) > 40, `something is drawn in ${colour}`);
  }
  // Every masked deviation is one click away.
  const buttons = page.locator("#steered button");
  assert.equal(await buttons.count(), 4);
  const before = await pixels(page, "--steered");
  await buttons.nth(0).click();
  await frame(page);
  const [from, to] = await range(page);
  assert.ok(from < 12 && to > 13 && to - from < 20, `step 12 is in view: ${from} to ${to}`);
  assert.match(await page.textContent("#chosen"), /step 12 · 12 · temperature: 19\.7 → 20/);
  assert.ok(await pixels(page, "--steered") > before, "the change is seen from near");
  assert.equal(await page.locator("tr[aria-current]").count(), 1);
  const box = await page.locator("#lanes").boundingBox();
  assert.ok(box.y > -20 && box.y < 400, `the timeline is on the screen: ${box.y}`);
  const spot = await page.evaluate(() => {
    const box = document.getElementById("lanes").getBoundingClientRect();
    return { x: box.left + xAt(12.5 * data.unit), y: box.top + portTop(0) + 20 };
  });
  await page.screenshot({ path: path.join(folder, "steered-near.png") });
  await page.mouse.move(spot.x, spot.y);
  await frame(page);
  const tip = await page.textContent("#tip");
  assert.match(tip, /temperature = 19\.7[^]*steered to 20[^]*allowed 19\.5 to 20\.1[^]*tolerance 19\.2 to 20\.2/);
  await page.fill("#search", "state = heating");
  assert.match(await page.textContent("#found"), /^[1-9]\d* of 65 events$/);
  await page.fill("#search", "");
  await page.locator("#said button").last().click();
  assert.match(await page.textContent("#chosen"), /standard error · W \(heater\): sensor <3> is noisy/);
  await page.locator("#judged button").first().click();
  assert.match(await page.textContent("#chosen"), /step 52 · 52 · fail · power is 0, the model has 6/);
}

async function index(page) {
  assert.equal(await page.locator("table.runs tbody tr:visible").count(), 30);
  assert.equal(await page.textContent("#found"), "30 runs");
  await page.fill("#search", "too early");
  await page.fill("#search", "weakcoffee");
  assert.equal(await page.locator("table.runs tbody tr:visible").count(), 1);
  assert.equal(await page.textContent("#found"), "1 of 30 runs");
  await page.fill("#search", "");
  await page.uncheck("[data-verdict=pass]");
  const n = await page.locator("table.runs tbody tr:visible").count();
  assert.ok(n > 3 && n < 12, `${n} runs did not pass`);
  await page.check("[data-verdict=pass]");
  assert.ok(await page.locator(".histogram rect").count() > 3);
  assert.equal(await page.locator(".automata svg").count(), 4);
  assert.equal(await page.locator("table.matrix tbody tr").count(), 4);
  const failed = page.locator("table.matrix .mark.fail");
  assert.deepEqual(await failed.allTextContents(), ["✕ output 0"]);
  assert.match(await failed.getAttribute("title"), /^output 0 at 35: failed\. Output 0 \(<late>\)/);
  assert.equal(await page.locator("table.matrix a").first().getAttribute("href"), "./0001.html");
  const link = await page.locator("table.runs a").first().getAttribute("href");
  assert.match(link, /^\.\/\d{4}\.html$/);
}

/// What is drawn of a run on a platform: places on the screen, of marks and of their windows.
const onPlatform = (page, kind) => page.$$eval(`.platform .event.${kind}`, (events) => events.map((event) => {
  const box = (selector) => { const { left, right, width } = event.querySelector(selector).getBoundingClientRect(); return { left, right, width }; };
  return { title: event.querySelector("title").textContent, mark: box(".mark"), window: box(".window") };
}));

async function platform(page) {
  await page.locator("#platform").scrollIntoViewIfNeeded();
  for (const kind of ["M: set outside", "I: reaches the software", "O: written by the software", "C: seen outside"]) {
    assert.ok((await page.textContent("#platform .legend")).includes(kind), kind);
  }
  const [set, seen] = [await onPlatform(page, "m"), await onPlatform(page, "c")];
  assert.ok(set.length >= 4 && seen.length >= 4, `${set.length} set, ${seen.length} seen`);
  const middle = ({ left, right }) => (left + right) / 2;
  for (const { mark, window, title } of set) {
    assert.match(title, /: set at [\d.]+ ms\nreaches \w+ from [\d.]+ ms to [\d.]+ ms, on average at/);
    assert.ok(window.width > 0 && middle(mark) <= window.left + 1, `${title}: it arrives after it was set`);
  }
  for (const { mark, window, title } of seen) {
    assert.match(title, /: seen at [\d.]+ ms\n\w+ written from/);
    assert.ok(window.width > 0 && window.right <= middle(mark) + 2, `${title}: it was written before it is seen`);
  }
  assert.match(await page.textContent(".platform .names"), /air in line/);
  const labels = await page.$$eval(".platform .lanes .value", (all) => all.map((it) => it.textContent));
  assert.ok(labels.some((it) => /^M (true|false)$/.test(it)) && labels.some((it) => /^C \d$/.test(it)), labels.join());
  // A colour of its own for steps that did not pass, in both schemes.
  const colour = (selector) => page.$eval(selector, (it) => getComputedStyle(it).stroke);
  const failed = page.locator(".platform .step.failed");
  assert.ok(await failed.count() > 0);
  assert.notEqual(await colour(".platform .step.failed path"), await colour(".platform .step:not(.failed) path"));
  assert.match(await failed.first().locator("title").textContent(), /^interaction \d+: done at [^]*fail: Step/);
  await page.locator("#platform").screenshot({ path: path.join(folder, "platform-near.png") });
}

async function fits(page) {
  const [needed, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(needed <= width, `the page is ${needed} wide on a screen of ${width}`);
}

try {
  await visit("fail", {}, async (page) => { await failing(page); await zooming(page); await page.pdf(); });
  await visit("fail", { colorScheme: "dark" }, failing);
  await visit("fail", { viewport: { width: 360, height: 700 } }, fits);
  await visit("pass", {}, passing);
  await visit("pass", { viewport: { width: 360, height: 700 } }, fits);
  await visit("missing", {}, async (page) => assert.match(await page.textContent(".headline"), /^nothing came/));
  await visit("unfinished", {}, async (page) => assert.match(await page.textContent(".warning"), /cut off/));
  await visit("hostile", {}, hostile);
  await visit("huge", {}, huge);
  await visit("broken", {}, async (page) => assert.match(await page.textContent("#said"), /index out of bounds/));
  await visit("steered", {}, steered);
  await visit("steered", { colorScheme: "dark" }, async () => {});
  await visit("steered", { viewport: { width: 360, height: 700 } }, fits);
  await visit("platform", {}, platform);
  await visit("platform", { colorScheme: "dark" }, platform);
  await visit("platform", { viewport: { width: 360, height: 700 } }, fits);
  await visit("direct", {}, async (page) => {
    await platform(page);
    assert.match(await page.textContent("#platform"), /did not mind these delays/);
  });
  await visit("wide", {}, async (page) => {
    assert.ok(await page.locator(".platform .step.missed").count() > 0, "a step that did not happen as intended is pale");
    assert.equal(await page.locator(".platform .step.failed").count(), 0);
  });
  await visit("index", {}, index);
  await visit("index", { colorScheme: "dark" }, async () => {});
  await visit("index", { viewport: { width: 360, height: 700 } }, fits);
} finally {
  await browser.close();
}
