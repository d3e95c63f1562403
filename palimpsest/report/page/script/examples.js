// The table of examples. Only the rows in sight exist as elements, so that tens of thousands scroll
// like a hundred. Rows have one height, known beforehand.
const examples = data.examples;
const kSetNames = {f: "forget", h: "holdout"};
const kTextFields = ["question", "answer", "generation"].filter((name) => name in examples);
const kFieldNames = {question: "Question", answer: kTextFields.includes("question") ? "True answer" : "Text", generation: "Generation"};
const kShownText = 300;  // characters of a cell: a row shows fewer
const kFewAttacks = 3;   // columns of scores that fit beside the texts
const kPrinted = 25;     // rows on paper

const view = {
  order: [],        // numbers of the examples that are shown, in order
  position: 0,      // the active row, a place in `order`
  sort: {key: "score", attack: examples.ranking, falling: false},
  attack: examples.ranking,
  every: false,     // whether every attack has a column
  rows: new Map(),  // elements by place in `order`
};

// As numbers: the wire format spells infinities as strings.
const scores = examples.scores.map((column) => column.map((v) => (typeof v === "string" ? Number(v) : v)));
const setOf = (row) => kSetNames[examples.set[row]];
const hasTokens = (row) => row in examples.tokens;

const searched = {
  texts: null,
  of(row) {
    this.texts = this.texts || new Array(examples.index.length);
    return (this.texts[row] ??= [examples.index[row], ...kTextFields.map((name) => examples[name][row] || "")]
      .join("\n").toLowerCase());
  },
};

function chosenRows() {
  const words = byId("examples-search").value.trim().toLowerCase();
  const set = byId("examples-set").value;
  const detailed = byId("examples-detailed") && byId("examples-detailed").checked;
  const rows = [];
  for (let row = 0; row < examples.index.length; ++row) {
    if (set && examples.set[row] !== set) continue;
    if (detailed && !hasTokens(row)) continue;
    if (words && !searched.of(row).includes(words)) continue;
    rows.push(row);
  }
  return rows;
}

// Undefined scores come last either way; equals keep the order of the data.
function sortRows(rows) {
  const {key, attack, falling} = view.sort;
  const turn = falling ? -1 : 1;
  if (key === "score") {
    const column = scores[attack];
    rows.sort((a, b) => {
      const x = column[a], y = column[b];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return turn * (x - y) || a - b;
    });
    return;
  }
  const collator = new Intl.Collator("en", {numeric: true});
  const text = key === "set" ? (row) => setOf(row) : (row) => examples[key][row] || "";
  rows.sort((a, b) => turn * collator.compare(text(a), text(b)) || a - b);
}

function scoreColumns() {
  const every = view.every || examples.attacks.length <= kFewAttacks;
  return every ? examples.attacks.map((_, i) => i) : [view.attack];
}

function columnList() {
  return [
    {key: "index", name: "Example", width: "minmax(5.5rem, 8rem)", rem: 6},
    {key: "set", name: "Set", width: "6.75rem", rem: 6.75},
    ...kTextFields.map((key) => ({key, name: kFieldNames[key], width: "minmax(9rem, 1fr)", rem: 11})),
    ...scoreColumns().map((attack) => ({key: "score", attack, name: examples.attacks[attack], width: "8rem", rem: 8})),
  ];
}

function isSortedBy(column) {
  return view.sort.key === column.key && (column.key !== "score" || view.sort.attack === column.attack);
}

function sortBy(column) {
  const falling = isSortedBy(column) ? !view.sort.falling : false;
  view.sort = {key: column.key, attack: column.attack ?? view.sort.attack, falling};
  if (column.key === "score") {
    view.attack = column.attack;
    byId("examples-attack").value = String(column.attack);
  }
  refresh();
}

function drawHead() {
  const columns = columnList();
  const grid = byId("examples-grid");
  grid.style.setProperty("--columns", columns.map((c) => c.width).join(" "));
  grid.style.setProperty("--least", `${columns.reduce((sum, c) => sum + c.rem, 0)}rem`);
  grid.setAttribute("aria-colcount", String(columns.length));
  const focused = document.activeElement && document.activeElement.dataset.column;
  byId("examples-head").replaceChildren(...columns.map((column, i) => element("div", {
    role: "columnheader", class: column.key === "score" ? "number" : "",
    "aria-sort": isSortedBy(column) ? (view.sort.falling ? "descending" : "ascending") : "none",
  }, element("button", {type: "button", class: "data", "data-column": String(i), title: `Sort by ${column.name}`,
    text: column.name, click: () => sortBy(column)}))));
  if (focused !== undefined) {
    const again = byId("examples-head").querySelector(`[data-column="${CSS.escape(focused)}"]`);
    if (again) again.focus();
  }
}

function drawRow(place) {
  const row = view.order[place];
  const cells = columnList().map((column) => {
    if (column.key === "index") {
      return element("div", {role: "gridcell", class: `name${hasTokens(row) ? " has-tokens" : ""}`, text: examples.index[row]});
    }
    if (column.key === "set") return element("div", {role: "gridcell", class: `set ${setOf(row)}`, text: setOf(row)});
    if (column.key === "score") {
      const shown = column.attack === view.attack ? " shown" : "";
      return element("div", {role: "gridcell", class: `number${shown}`, text: shortNumber(examples.scores[column.attack][row])});
    }
    const main = column.key === kTextFields[0] ? "main" : "";
    return element("div", {role: "gridcell", class: main, text: (examples[column.key][row] || "").slice(0, kShownText)});
  });
  const node = element("div", {role: "row", class: "grid-row", id: `row-${place}`, "aria-rowindex": String(place + 2),
    click: () => { view.position = place; markActive(); openExample(place); }}, ...cells);
  node.style.top = `${place * view.height}px`;
  return node;
}

function markActive() {
  for (const [place, node] of view.rows) node.classList.toggle("active", place === view.position);
  const grid = byId("examples-grid");
  if (view.rows.has(view.position)) grid.setAttribute("aria-activedescendant", `row-${view.position}`);
  else grid.removeAttribute("aria-activedescendant");
}

// Makes the rows in sight, and a few around them, and drops the others.
function drawRows() {
  const grid = byId("examples-grid"), body = byId("examples-body");
  const around = 8;
  const first = Math.max(0, Math.floor(grid.scrollTop / view.height) - around);
  const last = Math.min(view.order.length, Math.ceil((grid.scrollTop + grid.clientHeight) / view.height) + around);
  for (const [place, node] of view.rows) {
    if (place >= first && place < last) continue;
    node.remove();
    view.rows.delete(place);
  }
  for (let place = first; place < last; ++place) {
    if (view.rows.has(place)) continue;
    const node = drawRow(place);
    view.rows.set(place, node);
    body.append(node);
  }
  markActive();
}

function measure() {
  const probe = element("div", {class: "grid-row"});
  byId("examples-body").append(probe);
  view.height = probe.offsetHeight || 48;
  probe.remove();
}

function redraw() {
  measure();
  for (const node of view.rows.values()) node.remove();
  view.rows.clear();
  byId("examples-body").style.height = `${view.order.length * view.height}px`;
  drawHead();
  drawRows();
}

// After a change of filter or order.
function refresh() {
  view.order = chosenRows();
  sortRows(view.order);
  view.position = 0;
  const grid = byId("examples-grid");
  grid.scrollTop = 0;
  grid.setAttribute("aria-rowcount", String(view.order.length + 1));
  const all = examples.index.length;
  byId("examples-count").textContent = view.order.length === all
    ? `${all.toLocaleString("en")} examples`
    : `${view.order.length.toLocaleString("en")} of ${all.toLocaleString("en")} examples`;
  const order = byId("examples-order");
  order.value = view.sort.key === "score" && view.sort.attack === view.attack ? (view.sort.falling ? "least" : "most") : "other";
  redraw();
}

function moveTo(place) {
  if (!view.order.length) return;
  view.position = Math.min(view.order.length - 1, Math.max(0, place));
  const grid = byId("examples-grid");
  const head = byId("examples-head").offsetHeight;
  const top = view.position * view.height, room = grid.clientHeight - head;
  if (top < grid.scrollTop) grid.scrollTop = top;
  else if (top + view.height > grid.scrollTop + room) grid.scrollTop = top + view.height - room;
  drawRows();
}

function onGridKey(event) {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
  const page = Math.max(1, Math.floor(event.currentTarget.clientHeight / view.height) - 2);
  const moves = {ArrowDown: view.position + 1, ArrowUp: view.position - 1, PageDown: view.position + page,
    PageUp: view.position - page, Home: 0, End: view.order.length - 1};
  if (event.key in moves) moveTo(moves[event.key]);
  else if ((event.key === "Enter" || event.key === " ") && view.order.length) openExample(view.position);
  else return;
  event.preventDefault();
}

function select(id, name, options, change) {
  return element("label", {text: name}, element("select", {id, change},
    ...options.map(([value, text]) => element("option", {value, text}))));
}

function drawTools() {
  let waiting = 0;
  const soon = () => { clearTimeout(waiting); waiting = setTimeout(refresh, 120); };
  const byScore = (falling) => { view.sort = {key: "score", attack: view.attack, falling}; refresh(); };
  byId("examples-tools").addEventListener("submit", (event) => event.preventDefault());
  byId("examples-tools").append(
    element("label", {text: "Search"}, element("input", {type: "search", id: "examples-search", placeholder: "words, or an example's name", input: soon})),
    select("examples-set", "Set", [["", "both"], ["f", "forget"], ["h", "holdout"]], refresh),
    select("examples-attack", "Score", examples.attacks.map((name, i) => [String(i), name]), (event) => {
      view.attack = Number(event.target.value);
      byScore(view.sort.falling);
    }),
    select("examples-order", "Order", [["most", "most remembered first"], ["least", "least remembered first"], ["other", "as sorted by column"]],
      (event) => { if (event.target.value !== "other") byScore(event.target.value === "least"); }));
  const check = (id, name, change) => element("label", {class: "check"}, element("input", {type: "checkbox", id, change}), element("span", {text: name}));
  if (examples.attacks.length > kFewAttacks) {
    byId("examples-tools").append(check("examples-every", "every score", (event) => { view.every = event.target.checked; redraw(); }));
  }
  const detailed = Object.keys(examples.tokens).length;
  if (detailed && detailed < examples.index.length) {
    byId("examples-tools").append(check("examples-detailed", "with tokens", refresh));
  }
  byId("examples-attack").value = String(view.attack);
}

// Paper does not scroll: it gets the first rows, as they are sorted now.
function drawForPaper() {
  const table = element("table", {class: "results"}, element("thead", {}, element("tr", {},
    ...["Example", "Set", ...kTextFields.map((name) => kFieldNames[name]), examples.attacks[view.attack]]
      .map((text) => element("th", {scope: "col", text})))));
  const body = element("tbody");
  for (const row of view.order.slice(0, kPrinted)) {
    body.append(element("tr", {}, ...[examples.index[row], setOf(row),
      ...kTextFields.map((name) => (examples[name][row] || "").slice(0, kShownText)),
      shortNumber(examples.scores[view.attack][row])].map((text) => element("td", {class: "data", text}))));
  }
  table.append(body);
  byId("examples-print").replaceChildren(
    element("p", {class: "caption", text: `The first ${Math.min(kPrinted, view.order.length)} as sorted on screen.`}), table);
}

function startExamples() {
  const detailed = Object.keys(examples.tokens).length;
  const tokens = !detailed ? "" : detailed < examples.index.length
    ? "Open an example to see its tokens, which are kept for the ones marked ◦. " : "Open an example to see its tokens. ";
  byId("examples-lead").textContent =
    `A low score means that the example is familiar to the model: remembered. ${tokens}${examples.note}`;
  drawTools();
  byId("examples-table").append(element("div", {id: "examples-grid", class: "grid", role: "grid", tabindex: "0",
    "aria-label": "Examples; arrow keys move, Enter opens", keydown: onGridKey},
    element("div", {role: "rowgroup"}, element("div", {id: "examples-head", class: "grid-head", role: "row"})),
    element("div", {id: "examples-body", class: "grid-body", role: "rowgroup"})));
  reveal(byId("examples"), "Examples");
  refresh();
  let pending = false;
  byId("examples-grid").addEventListener("scroll", () => {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => { pending = false; drawRows(); });
  }, {passive: true});
  addEventListener("resize", redraw);
  addEventListener("beforeprint", drawForPaper);
}
