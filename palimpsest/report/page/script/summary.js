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
  const say = (id, text) => {
    if (!text) return;
    byId(id).textContent = text;
    byId(id).hidden = false;
  };
  say("certainty", headline.certainty);
  say("statistics", headline.statistics);
  say("action", headline.action);
  for (const id of ["answer", "action"]) {
    const tone = toneClass(headline.tone);
    if (tone) byId(id).classList.add(tone);
  }
  for (const [name, text] of [
    ["This audit would have detected", headline.detects],
    ["It would not have detected", headline.misses],
  ]) {
    if (!text) continue;
    byId("detection").append(
      element("div", {}, element("dt", {text: name}), element("dd", {class: "data", text})),
    );
    byId("detection").hidden = false;
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

// Those of the model in question first; those of the models beside it apart.
function drawFlags() {
  for (const flag of data.flags) {
    byId(flag.model ? "other-flag-list" : "flag-list").append(
      element(
        "article",
        {class: `flag ${toneClass(flag.tone)}`},
        element(
          flag.model ? "h4" : "h3",
          {},
          element("span", {"aria-hidden": "true", text: flag.tone === "bad" ? "▲" : "△"}),
          element("span", {
            class: "data",
            text: flag.model ? `${flag.model}: ${flag.title}` : flag.title,
          }),
        ),
        element("p", {class: "data", text: flag.text}),
      ),
    );
    if (flag.model) byId("other-flags").hidden = false;
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

// A point with its interval on a scale from 0 to 1. The middle is marked where it means guessing.
function whisker(cell) {
  const box = element("span", {
    class: `whisker${cell.scale === "auc" ? " auc" : ""}`,
    "aria-hidden": "true",
  });
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
  if (cell.scale && isNumber(cell.value)) parts.push(whisker(cell));
  if (cell.interval)
    parts.push(element("span", {class: "interval", text: intervalText(cell.interval)}));
  return element("td", {"data-label": column.name}, element("span", {class: "cell"}, ...parts));
}

// A name, and below it the raw one in small type.
function nameCell(scope, of, meaning) {
  return element(
    "th",
    {scope, title: meaning || null},
    element("span", {class: "data", text: of.name}),
    of.small ? element("span", {class: "raw data", text: of.small}) : null,
  );
}

function tableRows(table) {
  const rows = [];
  let group = null;
  for (const row of table.rows) {
    if (row.group && row.group !== group) {
      group = row.group;
      rows.push(
        element(
          "tr",
          {class: "group"},
          element("th", {
            scope: "colgroup",
            colspan: String(table.columns.length + 1),
            class: "data",
            text: group,
          }),
        ),
      );
    }
    rows.push(
      element(
        "tr",
        {},
        nameCell("row", row),
        ...row.cells.map((cell, i) => drawCell(cell, table.columns[i])),
      ),
    );
  }
  return rows;
}

function tableFrame(table, title) {
  return element(
    "div",
    // A group, not a region: the section around it is the landmark of this name already.
    {class: "table-frame", tabindex: "0", role: "group", "aria-labelledby": title},
    resultsTable(
      [
        nameCell("col", {name: table.rowName}),
        ...table.columns.map((column) => nameCell("col", column, column.meaning)),
      ],
      element("tbody", {}, ...tableRows(table)),
    ),
  );
}

function drawTable(table) {
  const title = `${table.id}-title`;
  const caption = table.caption ? element("p", {class: "caption data", text: table.caption}) : null;
  if (table.folded) {
    const folded = element(
      "details",
      {id: table.id, class: "folded"},
      element("summary", {id: title, class: "data", text: table.title}),
      caption,
      tableFrame(table, title),
    );
    byId("results").append(folded);
    return folded;
  }
  const section = element(
    "section",
    {id: table.id, "aria-labelledby": title},
    element("h2", {id: title, class: "data", text: table.title}),
    caption,
    tableFrame(table, title),
  );
  byId(table.summary ? "summary" : table.detail ? "details" : "results").append(section);
  return section;
}

function drawLimits() {
  if (!data.limits.length) return;
  for (const limit of data.limits)
    byId("limit-list").append(element("li", {class: "data", text: limit}));
  reveal(byId("limits"), "Limits");
}

// What is folded on a screen is open on paper.
function openForPaper() {
  const opened = [];
  addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll("details.folded:not([open])")) {
      folded.open = true;
      opened.push(folded);
    }
  });
  addEventListener("afterprint", () => {
    for (const folded of opened.splice(0)) folded.open = false;
  });
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
  drawLimits();
  openForPaper();
}
