// The table of examples. Only the rows in sight exist as elements, so that tens of thousands scroll
// like a hundred. Rows have one height, known beforehand.
function scoreColumns() {
  const every = view.every || examples.attacks.length <= kFewAttacks;
  return every ? examples.attacks.map((_, i) => i) : [view.attack];
}

function columnList() {
  return [
    {key: "index", name: "Example", width: "minmax(5.5rem, 8rem)", rem: 6},
    {key: "set", name: "Set", width: "6.75rem", rem: 6.75},
    ...kTextFields.map((key) => ({
      key,
      name: kFieldNames[key],
      width: "minmax(9rem, 1fr)",
      rem: 11,
    })),
    ...scoreColumns().map((attack) => ({
      key: "score",
      attack,
      name: examples.attacks[attack],
      width: "8rem",
      rem: 8,
    })),
    ...(kTested ? [{key: "recognised", name: "Recognised", width: "7.25rem", rem: 7.25}] : []),
  ];
}

function isSortedBy(column) {
  return (
    view.sort.key === column.key && (column.key !== "score" || view.sort.attack === column.attack)
  );
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
  byId("examples-head").replaceChildren(
    ...columns.map((column, i) =>
      element(
        "div",
        {
          role: "columnheader",
          class: column.key === "score" ? "number" : "",
          "aria-sort": isSortedBy(column)
            ? view.sort.falling
              ? "descending"
              : "ascending"
            : "none",
        },
        element("button", {
          type: "button",
          class: "data",
          "data-column": String(i),
          title: `Sort by ${column.name}`,
          text: column.name,
          click: () => sortBy(column),
        }),
      ),
    ),
  );
  if (focused !== undefined) {
    const again = byId("examples-head").querySelector(`[data-column="${CSS.escape(focused)}"]`);
    if (again) again.focus();
  }
}

function drawRow(place) {
  const row = view.order[place];
  const cells = columnList().map((column) => {
    if (column.key === "index") {
      return element("div", {
        role: "gridcell",
        class: `name${kSomeDetailed && hasTokens(row) ? " has-tokens" : ""}`,
        text: examples.index[row],
      });
    }
    if (column.key === "set")
      return element("div", {role: "gridcell", class: `set ${setOf(row)}`, text: setOf(row)});
    if (column.key === "recognised") {
      const text = recognisedText(row);
      return element("div", {
        role: "gridcell",
        class: `recognised ${text === "yes" ? "yes" : ""}`,
        text,
      });
    }
    if (column.key === "score") {
      const shown = column.attack === view.attack ? " shown" : "";
      return element("div", {
        role: "gridcell",
        class: `number${shown}`,
        text: shortNumber(examples.scores[column.attack][row]),
      });
    }
    const main = column.key === kTextFields[0] ? "main" : "";
    return element("div", {
      role: "gridcell",
      class: main,
      text: (examples[column.key][row] || "").slice(0, kShownText),
    });
  });
  const node = element(
    "div",
    {
      role: "row",
      class: "grid-row",
      id: `row-${place}`,
      "aria-rowindex": String(place + 2),
      click: () => {
        view.position = place;
        markActive();
        openExample(place);
      },
    },
    ...cells,
  );
  node.style.top = `${place * view.height}px`;
  return node;
}

function markActive() {
  for (const [place, node] of view.rows) node.classList.toggle("active", place === view.position);
  const grid = byId("examples-grid");
  if (view.rows.has(view.position))
    grid.setAttribute("aria-activedescendant", `row-${view.position}`);
  else grid.removeAttribute("aria-activedescendant");
}

// Makes the rows in sight, and a few around them, and drops the others.
function drawRows() {
  const grid = byId("examples-grid"),
    body = byId("examples-body");
  const around = 8;
  const first = Math.max(0, Math.floor(grid.scrollTop / view.height) - around);
  const last = Math.min(
    view.order.length,
    Math.ceil((grid.scrollTop + grid.clientHeight) / view.height) + around,
  );
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
  byId("examples-count").textContent =
    view.order.length === all
      ? `${all.toLocaleString("en")} examples`
      : `${view.order.length.toLocaleString("en")} of ${all.toLocaleString("en")} examples`;
  const order = byId("examples-order");
  order.value =
    view.sort.key === "score" && view.sort.attack === view.attack
      ? view.sort.falling
        ? "least"
        : "most"
      : "other";
  redraw();
}

function moveTo(place) {
  if (!view.order.length) return;
  view.position = Math.min(view.order.length - 1, Math.max(0, place));
  const grid = byId("examples-grid");
  const head = byId("examples-head").offsetHeight;
  const top = view.position * view.height,
    room = grid.clientHeight - head;
  if (top < grid.scrollTop) grid.scrollTop = top;
  else if (top + view.height > grid.scrollTop + room) grid.scrollTop = top + view.height - room;
  drawRows();
}

function onGridKey(event) {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey)
    return;
  const page = Math.max(1, Math.floor(event.currentTarget.clientHeight / view.height) - 2);
  const moves = {
    ArrowDown: view.position + 1,
    ArrowUp: view.position - 1,
    PageDown: view.position + page,
    PageUp: view.position - page,
    Home: 0,
    End: view.order.length - 1,
  };
  if (event.key in moves) moveTo(moves[event.key]);
  else if ((event.key === "Enter" || event.key === " ") && view.order.length)
    openExample(view.position);
  else return;
  event.preventDefault();
}
