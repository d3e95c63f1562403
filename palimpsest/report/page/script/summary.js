// The answer, the flags, the tables and the notes.
function drawGauge(headline) {
  if (!isNumber(headline.value)) return;
  const interval = headline.interval;
  const words =
    `${headline.valueName}: ${shortNumber(headline.value)}` +
    (interval ? `, interval ${intervalText(interval)}` : "") +
    ", on a scale from 0 to 1 where 0.5 is the goal";
  const scale = element(
    "div",
    {class: "scale", role: "img", "aria-label": words, title: words},
    element("div", {class: "rail"}),
    element("div", {class: "goal"}),
    element("div", {class: "middle"}),
  );
  if (interval && isNumber(interval[0]) && isNumber(interval[1])) {
    const range = element("div", {class: "range"});
    range.style.left = percent(interval[0]);
    range.style.width = percent(interval[1] - interval[0]);
    scale.append(range);
  }
  const point = element("div", {class: "point"});
  point.style.left = percent(headline.value);
  scale.append(point);
  byId("gauge").append(
    element(
      "div",
      {class: `gauge ${toneClass(headline.tone)}`},
      scale,
      element(
        "div",
        {class: "ends"},
        element("span", {text: "0 · less familiar than unseen text"}),
        element("span", {text: "0.5 · cannot be told apart"}),
        element("span", {text: "1 · plainly remembered"}),
      ),
    ),
  );
}

function drawHeadline() {
  const headline = data.headline;
  drawGauge(headline);
  if (headline.action) {
    const action = byId("action");
    action.textContent = headline.action;
    action.className += ` ${toneClass(headline.tone)}`;
    action.hidden = false;
  }
  for (const reason of headline.reasons) {
    byId("reasons").append(element("li", {class: "data", text: reason}));
    byId("reasons").hidden = false;
  }
  for (const figure of data.figures) {
    byId("figures").append(
      element(
        "div",
        {},
        element("dt", {class: "data", text: figure.title}),
        element("dd", {class: "data", text: figure.text}),
      ),
    );
  }
}

function drawFlags() {
  for (const flag of data.flags) {
    byId("flag-list").append(
      element(
        "article",
        {class: `flag ${toneClass(flag.tone)}`},
        element(
          "h3",
          {},
          element("span", {"aria-hidden": "true", text: flag.tone === "bad" ? "▲" : "△"}),
          element("span", {class: "data", text: flag.title}),
        ),
        element("p", {class: "data", text: flag.text}),
      ),
    );
  }
  if (data.notes.length) {
    const list = element("ul", {class: "notes"});
    for (const note of data.notes) list.append(element("li", {class: "data", text: note}));
    byId("note-list").append(list);
  }
  if (!data.flags.length && !data.notes.length) return;
  const name = !data.flags.length
    ? "Notes"
    : data.flags.some((flag) => flag.tone === "bad")
      ? "Red flags"
      : "Caution";
  byId("flags-title").textContent = name;
  reveal(byId("flags"), name);
}

// A point with its interval on a scale from 0 to 1, the middle marked.
function whisker(cell) {
  const box = element("span", {class: "whisker", "aria-hidden": "true"});
  if (cell.interval && isNumber(cell.interval[0]) && isNumber(cell.interval[1])) {
    const line = element("i");
    line.style.left = percent(cell.interval[0]);
    line.style.width = percent(cell.interval[1] - cell.interval[0]);
    box.append(line);
  }
  const point = element("b");
  point.style.left = percent(cell.value);
  box.append(point);
  return box;
}

function drawCell(cell, column) {
  const parts = [element("span", {class: "data", text: cell.text})];
  if (cell.significant) {
    parts.push(
      element("span", {class: "significant", title: "The difference is significant", text: "✱"}),
      element("span", {class: "visually-hidden", text: "(significant)"}),
    );
  }
  if (column.share && isNumber(cell.value)) parts.push(whisker(cell));
  if (cell.interval)
    parts.push(element("span", {class: "interval", text: intervalText(cell.interval)}));
  return element("td", {"data-label": column.name}, element("span", {class: "cell"}, ...parts));
}

function drawTable(table) {
  const head = element("tr", {}, element("th", {scope: "col", class: "data", text: table.rowName}));
  for (const column of table.columns) {
    head.append(
      element("th", {
        scope: "col",
        class: "data",
        title: column.meaning || null,
        text: column.name,
      }),
    );
  }
  const body = element("tbody");
  for (const row of table.rows) {
    body.append(
      element(
        "tr",
        {},
        element("th", {scope: "row", class: "data", text: row.name}),
        ...row.cells.map((cell, i) => drawCell(cell, table.columns[i])),
      ),
    );
  }
  const title = `${table.id}-title`;
  const section = element(
    "section",
    {id: table.id, "aria-labelledby": title},
    element("h2", {id: title, class: "data", text: table.title}),
    element("p", {class: "caption data", text: table.caption}),
    element(
      "div",
      {class: "table-frame", tabindex: "0", role: "region", "aria-labelledby": title},
      element("table", {class: "results"}, element("thead", {}, head), body),
    ),
  );
  byId(table.detail ? "details" : "results").append(section);
  return section;
}

function drawEntries(section, list, entries, name) {
  if (!entries.length) return;
  for (const entry of entries) {
    list.append(
      element("dt", {class: "data", text: entry.title}),
      element("dd", {class: "data", text: entry.text}),
    );
  }
  reveal(section, name);
}

function drawSummary() {
  drawHeadline();
  drawFlags();
  const sections = data.tables.map(drawTable);
  if (sections.length) reveal(sections[0], "Results");
}
