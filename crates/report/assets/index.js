// Rows that are looked for.
const search = document.getElementById("search"), found = document.getElementById("found");
const boxes = [...document.querySelectorAll("input[data-verdict]")];
const rows = [...document.querySelectorAll("table.runs tbody tr")].map((row) => ({ row, text: row.textContent.toLowerCase() }));
function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = new Set(boxes.filter((box) => box.checked).map((box) => box.dataset.verdict));
  let n = 0;
  for (const { row, text } of rows) {
    const isShown = wanted.has(row.dataset.verdict) && words.every((word) => text.includes(word));
    row.hidden = !isShown;
    n += isShown;
  }
  const all = `${rows.length} ${rows.length === 1 ? "run" : "runs"}`;
  found.textContent = n === rows.length ? all : `${n} of ${all}`;
}
search.addEventListener("input", find);
for (const box of boxes) box.addEventListener("change", find);
find();
