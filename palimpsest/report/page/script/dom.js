// Small tools for the page. Text from data reaches the page through these functions alone, always
// as text: textContent, never innerHTML.
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);

// element("p", {class: "data", text: "…"}, child, …). Handlers are given as functions: {click: f}.
function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "text") node.textContent = value;
    else if (typeof value === "function") node.addEventListener(key, value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined)
      node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

// A table of results. The cells of its heading are texts or elements.
function resultsTable(heading, body) {
  const cells = heading.map((cell) =>
    typeof cell === "string" ? element("th", {scope: "col", text: cell}) : cell,
  );
  return element(
    "table",
    {class: "results"},
    element("thead", {}, element("tr", {}, ...cells)),
    body,
  );
}

const isNumber = (value) => typeof value === "number";
const percent = (value) => `${(100 * Math.min(1, Math.max(0, value))).toFixed(2)}%`;

// Numbers for people: the wire format spells infinities as strings and what is undefined as null.
function shortNumber(value) {
  if (value === null || value === undefined) return "n/a";
  if (!isNumber(value)) return value === "Infinity" ? "∞" : "−∞";
  const size = Math.abs(value);
  const text =
    size !== 0 && (size < 0.001 || size >= 1e5)
      ? value.toExponential(2)
      : value.toFixed(size < 100 ? 3 : 1);
  return text.replace(/^-/, "−");
}

const intervalText = (interval) => `${shortNumber(interval[0])} … ${shortNumber(interval[1])}`;

function toneClass(tone) {
  return tone && tone !== "neutral" ? `tone-${tone}` : "";
}

// A section that has something to show appears, with its link in the navigation.
function reveal(section, name) {
  section.hidden = false;
  byId("places").append(element("a", {href: `#${section.id}`, text: name}));
}
