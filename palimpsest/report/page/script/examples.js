// The examples: which of them are shown, and in which order.
const examples = data.examples;
const kSetNames = {f: "forget", h: "holdout"};
const kTextFields = ["question", "answer", "generation"].filter((name) => name in examples);
const kFieldNames = {
  question: "Question",
  answer: kTextFields.includes("question") ? "True answer" : "Text",
  generation: "Generation",
};
const kShownText = 300; // characters of a cell: a row shows fewer
const kFewAttacks = 3; // columns of scores that fit beside the texts
const kPrinted = 25; // rows on paper
const kRecognised = new Set(examples.recognised);
const kTested = examples.recognisedWords !== ""; // whether single records were tested
const recognisedText = (row) =>
  kRecognised.has(row) ? "yes" : examples.set[row] === "f" ? "no" : "–";

const view = {
  order: [], // numbers of the examples that are shown, in order
  position: 0, // the active row, a place in `order`
  sort: {key: "score", attack: examples.ranking, falling: false},
  attack: examples.ranking,
  every: false, // whether every attack has a column
  rows: new Map(), // elements by place in `order`
};

// As numbers: the wire format spells infinities as strings.
const scores = examples.scores.map((column) =>
  column.map((v) => (typeof v === "string" ? Number(v) : v)),
);
const setOf = (row) => kSetNames[examples.set[row]];
const hasTokens = (row) => row in examples.tokens;
const kDetailed = Object.keys(examples.tokens).length;
const kSomeDetailed = kDetailed > 0 && kDetailed < examples.index.length; // then they are marked

const searched = {
  texts: null,
  of(row) {
    this.texts = this.texts || new Array(examples.index.length);
    return (this.texts[row] ??= [
      examples.index[row],
      ...kTextFields.map((name) => examples[name][row] || ""),
    ]
      .join("\n")
      .toLowerCase());
  },
};

function chosenRows() {
  const words = byId("examples-search").value.trim().toLowerCase();
  const set = byId("examples-set").value;
  const detailed = byId("examples-detailed") && byId("examples-detailed").checked;
  const recognised = byId("examples-recognised") ? byId("examples-recognised").value : "";
  const rows = [];
  for (let row = 0; row < examples.index.length; ++row) {
    if (set && examples.set[row] !== set) continue;
    if (detailed && !hasTokens(row)) continue;
    if (recognised && recognisedText(row) !== recognised) continue;
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
      const x = column[a],
        y = column[b];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return turn * (x - y) || a - b;
    });
    return;
  }
  const collator = new Intl.Collator("en", {numeric: true});
  const text =
    key === "set"
      ? (row) => setOf(row)
      : key === "recognised"
        ? (row) => (kRecognised.has(row) ? "0" : recognisedText(row) === "no" ? "1" : "2")
        : (row) => examples[key][row] || "";
  rows.sort((a, b) => turn * collator.compare(text(a), text(b)) || a - b);
}
