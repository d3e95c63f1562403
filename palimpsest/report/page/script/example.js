// One example: its texts, its scores and its tokens, coloured by log-probability. A token's numbers
// are there for the mouse (title), for touch and keyboard (select it), and as a table.
const kHottest = 10; // nats: a token less likely than e^-10 gets the full colour
const kMaxHeat = 72; // per cent of colour there; text stays readable on it
const holdoutScores = new Map(); // attack: sorted scores of the holdout examples

// The share of holdout examples that are less familiar than this one.
function familiarity(attack, score) {
  if (!isNumber(score) || examples.note) return null; // some are not on the page: no share to tell
  if (!holdoutScores.has(attack)) {
    holdoutScores.set(
      attack,
      scores[attack]
        .filter((value, row) => examples.set[row] === "h" && value !== null)
        .sort((a, b) => a - b),
    );
  }
  const sorted = holdoutScores.get(attack);
  if (!sorted.length) return null;
  let low = 0,
    high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= score) low = middle + 1;
    else high = middle;
  }
  return (sorted.length - low) / sorted.length;
}

function passage(name, text) {
  if (text === null || text === undefined) return null;
  return element(
    "section",
    {},
    element("h3", {text: name}),
    element("p", {class: "passage data", text}),
  );
}

function scoreTable(row) {
  const body = element("tbody");
  examples.attacks.forEach((name, attack) => {
    const share = familiarity(attack, scores[attack][row]);
    body.append(
      element(
        "tr",
        {},
        element("th", {scope: "row", class: "data", text: name}),
        element("td", {"data-label": "score", text: shortNumber(examples.scores[attack][row])}),
        element("td", {
          "data-label": "more familiar than",
          text: share === null ? "n/a" : `${(100 * share).toFixed(0)}% of the holdout set`,
        }),
      ),
    );
  });
  const q = examples.qValue ? examples.qValue[row] : null;
  return element(
    "section",
    {},
    element("h3", {text: "Scores"}),
    resultsTable(["Attack", "Score", "More familiar than"], body),
    q === null
      ? null
      : element("p", {class: "caption", text: `Tested as a single record: q = ${shortNumber(q)}.`}),
  );
}

function tokenWords(tokens, i) {
  const logprob = tokens.logprob[i];
  const chance = isNumber(logprob) ? Math.exp(logprob) : 0;
  const shown = chance >= 0.001 ? chance.toFixed(3) : chance.toExponential(1);
  return (
    `token ${i + 1} of ${tokens.text.length}: log p = ${shortNumber(logprob)}, p = ${shown}` +
    (tokens.isLowest.has(i) ? `, among the lowest ${(100 * examples.lowestShare).toFixed(0)}%` : "")
  );
}

function tokenTable(tokens) {
  const body = element("tbody");
  tokens.text.forEach((text, i) =>
    body.append(
      element(
        "tr",
        {},
        element("th", {scope: "row", class: "data", text: JSON.stringify(text)}),
        element("td", {"data-label": "log p", text: shortNumber(tokens.logprob[i])}),
        element("td", {"data-label": "Min-K", text: tokens.isLowest.has(i) ? "lowest" : ""}),
      ),
    ),
  );
  return resultsTable(["Token", "log p", "Min-K"], body);
}

function tokenLegend() {
  return element(
    "div",
    {class: "legend"},
    element("span", {text: "expected"}),
    element("span", {class: "ramp", "aria-hidden": "true"}),
    element("span", {text: "surprising"}),
    element(
      "span",
      {},
      element("span", {class: "sample", text: "underlined"}),
      ` the ${(100 * examples.lowestShare).toFixed(0)}% least likely (Min-K)`,
    ),
  );
}

// One stop of the Tab key; the arrow keys walk from token to token.
function tokenView(row) {
  const tokens = {...examples.tokens[row], isLowest: new Set(examples.tokens[row].lowest)};
  const value = element("p", {
    class: "token-value",
    role: "status",
    text: "Choose a token to see its numbers.",
  });
  const list = element("p", {
    class: "tokens data",
    role: "listbox",
    "aria-label": "Tokens; the arrow keys walk through them",
  });
  let chosen = -1;
  const choose = (i) => {
    const nodes = list.children;
    if (chosen >= 0) {
      nodes[chosen].setAttribute("aria-selected", "false");
      nodes[chosen].tabIndex = -1;
    } else {
      nodes[0].tabIndex = -1;
    }
    chosen = Math.min(nodes.length - 1, Math.max(0, i));
    nodes[chosen].setAttribute("aria-selected", "true");
    nodes[chosen].tabIndex = 0;
    nodes[chosen].focus();
    value.textContent = `“${tokens.text[chosen]}”, ${tokenWords(tokens, chosen)}`;
  };
  tokens.text.forEach((text, i) => {
    const node = element("span", {
      class: `token${tokens.isLowest.has(i) ? " lowest" : ""}`,
      role: "option",
      "aria-selected": "false",
      tabindex: i === 0 ? "0" : "-1",
      title: tokenWords(tokens, i),
      text,
      click: () => choose(i),
    });
    const heat = Math.min(
      1,
      -(isNumber(tokens.logprob[i]) ? tokens.logprob[i] : -kHottest) / kHottest,
    );
    node.style.setProperty("--heat", `${(kMaxHeat * heat).toFixed(1)}%`);
    list.append(node);
  });
  list.addEventListener("keydown", (event) => {
    const moves = {
      ArrowRight: chosen + 1,
      ArrowLeft: chosen - 1,
      Home: 0,
      End: tokens.text.length - 1,
    };
    if (!(event.key in moves)) return;
    choose(moves[event.key]);
    event.preventDefault();
  });
  return element(
    "section",
    {class: "token-view"},
    element("h3", {text: "Tokens"}),
    tokenLegend(),
    list,
    value,
    tokens.leftOut
      ? element("p", {
          class: "caption",
          text: `${tokens.leftOut} more tokens are not on this page.`,
        })
      : null,
    element("details", {}, element("summary", {text: "As a table"}), tokenTable(tokens)),
  );
}

function openExample(place) {
  const dialog = byId("example");
  const row = view.order[place];
  const step = (by) =>
    element("button", {
      type: "button",
      class: "quiet",
      disabled: !(place + by in view.order),
      text: by < 0 ? "‹ Previous" : "Next ›",
      "data-step": String(by),
      click: () => {
        moveTo(place + by);
        openExample(place + by);
      },
    });
  const moved = document.activeElement && document.activeElement.dataset.step;
  dialog.replaceChildren(
    element(
      "div",
      {class: "sheet-head"},
      element(
        "h2",
        {id: "example-title"},
        element("span", {class: `set ${setOf(row)}`, text: `${setOf(row)} `}),
        element("bdi", {class: "data", text: examples.index[row]}),
      ),
      step(-1),
      step(1),
      element("button", {
        type: "button",
        class: "quiet",
        text: "Close",
        click: () => dialog.close(),
      }),
    ),
    element(
      "div",
      {class: "sheet-body"},
      ...[
        ...kTextFields.map((name) => passage(kFieldNames[name], examples[name][row])),
        hasTokens(row)
          ? tokenView(row)
          : element("p", {class: "caption", text: "The tokens of this example were not kept."}),
        scoreTable(row),
      ].filter((part) => part !== null),
    ),
  );
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  const again = moved && dialog.querySelector(`[data-step="${CSS.escape(moved)}"]:not(:disabled)`);
  if (again) again.focus();
}

byId("example").addEventListener("click", (event) => {
  if (event.target === event.currentTarget) event.currentTarget.close(); // on the backdrop
});
byId("example").addEventListener("close", () => byId("examples-grid").focus());
