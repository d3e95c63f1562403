// What stands around the table of examples: search and choices above it, the first rows for paper.
function select(id, name, options, change) {
  return element(
    "label",
    {text: name},
    element(
      "select",
      {id, change},
      ...options.map(([value, text]) => element("option", {value, text})),
    ),
  );
}

function drawTools() {
  let waiting = 0;
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(refresh, 120);
  };
  const byScore = (falling) => {
    view.sort = {key: "score", attack: view.attack, falling};
    refresh();
  };
  byId("examples-tools").addEventListener("submit", (event) => event.preventDefault());
  byId("examples-tools").append(
    element(
      "label",
      {text: "Search"},
      element("input", {
        type: "search",
        id: "examples-search",
        placeholder: "words, or an example's name",
        input: soon,
      }),
    ),
    select(
      "examples-set",
      "Set",
      [
        ["", "both"],
        ["f", "forget"],
        ["h", "holdout"],
      ],
      refresh,
    ),
    kTested
      ? select(
          "examples-recognised",
          "Recognised",
          [
            ["", "all"],
            ["yes", "yes"],
            ["no", "no"],
          ],
          refresh,
        )
      : "",
    select(
      "examples-attack",
      "Score",
      examples.attacks.map((name, i) => [String(i), name]),
      (event) => {
        view.attack = Number(event.target.value);
        byScore(view.sort.falling);
      },
    ),
    select(
      "examples-order",
      "Order",
      [
        ["most", "most remembered first"],
        ["least", "least remembered first"],
        ["other", "as sorted by column"],
      ],
      (event) => {
        if (event.target.value !== "other") byScore(event.target.value === "least");
      },
    ),
  );
  const check = (id, name, change) =>
    element(
      "label",
      {class: "check"},
      element("input", {type: "checkbox", id, change}),
      element("span", {text: name}),
    );
  if (examples.attacks.length > kFewAttacks) {
    byId("examples-tools").append(
      check("examples-every", "every score", (event) => {
        view.every = event.target.checked;
        redraw();
      }),
    );
  }
  if (kSomeDetailed) {
    byId("examples-tools").append(check("examples-detailed", "with tokens", refresh));
  }
  byId("examples-attack").value = String(view.attack);
}

// Paper does not scroll: it gets the first rows, as they are sorted now.
function drawForPaper() {
  const heading = [
    "Example",
    "Set",
    ...kTextFields.map((name) => kFieldNames[name]),
    examples.attacks[view.attack],
    ...(kTested ? ["Recognised"] : []),
  ];
  const body = element("tbody");
  for (const row of view.order.slice(0, kPrinted)) {
    body.append(
      element(
        "tr",
        {},
        ...[
          examples.index[row],
          setOf(row),
          ...kTextFields.map((name) => (examples[name][row] || "").slice(0, kShownText)),
          shortNumber(examples.scores[view.attack][row]),
          ...(kTested ? [recognisedText(row)] : []),
        ].map((text) => element("td", {class: "data", text})),
      ),
    );
  }
  byId("examples-print").replaceChildren(
    element("p", {
      class: "caption",
      text: `The first ${Math.min(kPrinted, view.order.length)} as sorted on screen.`,
    }),
    resultsTable(heading, body),
  );
}

function startExamples() {
  const tokens = !kDetailed
    ? ""
    : kSomeDetailed
      ? "Open an example to see its tokens, which are kept for the ones marked ◦. "
      : "Open an example to see its tokens. ";
  byId("examples-lead").textContent =
    `A low score means that the example is familiar to the model: remembered. ${tokens}${examples.note}`;
  if (kTested) {
    byId("examples-lead").after(
      element("p", {id: "examples-recognised-words", class: "lead data", text: examples.recognisedWords}),
    );
  }
  drawTools();
  byId("examples-table").append(
    element(
      "div",
      {
        id: "examples-grid",
        class: "grid",
        role: "grid",
        tabindex: "0",
        "aria-label": "Examples; arrow keys move, Enter opens",
        keydown: onGridKey,
      },
      element(
        "div",
        {role: "rowgroup"},
        element("div", {id: "examples-head", class: "grid-head", role: "row"}),
      ),
      element("div", {id: "examples-body", class: "grid-body", role: "rowgroup"}),
    ),
  );
  reveal(byId("examples"), "Examples");
  refresh();
  let pending = false;
  byId("examples-grid").addEventListener(
    "scroll",
    () => {
      if (pending) return;
      pending = true;
      requestAnimationFrame(() => {
        pending = false;
        drawRows();
      });
    },
    {passive: true},
  );
  addEventListener("resize", redraw);
  addEventListener("beforeprint", drawForPaper);
}
