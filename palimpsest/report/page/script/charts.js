// The charts: Vega-Lite specifications, drawn as SVG in the colours of the page. Expressions are
// interpreted (ast: true), since the page's policy does not allow code to be made from text.
function pageColor(name) {
  const probe = element("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}

function chartConfig() {
  const ink = pageColor("--ink"),
    soft = pageColor("--soft"),
    grid = pageColor("--grid"),
    line = pageColor("--line");
  const font = getComputedStyle(document.body).fontFamily;
  return {
    background: null,
    font,
    view: {stroke: null},
    axis: {
      labelColor: soft,
      titleColor: soft,
      gridColor: grid,
      domainColor: line,
      tickColor: line,
      titleFontWeight: 500,
    },
    legend: {
      labelColor: ink,
      titleColor: soft,
      titleFontWeight: 500,
      orient: "top",
      columns: 3,
      labelLimit: 130,
    },
    header: {labelColor: ink, titleColor: soft},
    title: {color: ink, fontWeight: 600, anchor: "start"},
    text: {color: ink},
    rule: {color: soft},
  };
}

// The figures' palette is made for white paper; on a dark ground each colour is a lighter one.
const kOnDark = {
  "#0072b2": "#4aa8e0",
  "#d55e00": "#f58a4b",
  "#009e73": "#35c79b",
  "#cc79a7": "#e39cc4",
  "#e69f00": "#f2b63c",
  "#56b4e9": "#9fd8f8",
  "#999999": "#b9b9b9",
  "#8a8a8a": "#9a9a9a",
};

function recoloured(spec) {
  if (!theme.isDark() || !spec.config) return spec;
  const config = JSON.stringify(spec.config).replace(
    /#[0-9a-f]{6}/gi,
    (color) => kOnDark[color.toLowerCase()] || color,
  );
  return {...spec, config: JSON.parse(config)};
}

const isFaceted = (spec) => "facet" in spec && typeof spec.spec === "object" && spec.spec !== null;

// One view takes the width there is, panels stand in as many columns as fit; views that were put
// together otherwise keep their width and scroll in their frame. The card has the title already.
function fitted(chart, width) {
  const spec = recoloured(structuredClone(chart.spec));
  if (spec.title === chart.title) delete spec.title;
  if (isFaceted(spec)) {
    const room = (isNumber(spec.spec.width) ? spec.spec.width : 200) + 70; // with its axis
    const most = Math.max(1, Math.floor(width / room));
    const panels = Array.isArray(spec.facet.sort) ? spec.facet.sort.length : most;
    const lines = Math.max(1, Math.ceil(panels / most));
    return {...spec, columns: Math.max(1, Math.ceil(panels / lines))}; // lines of equal length
  }
  const composed =
    ["hconcat", "vconcat", "concat", "repeat"].some((key) => key in spec) ||
    ["facet", "row", "column"].some((key) => spec.encoding && key in spec.encoding);
  return composed
    ? spec
    : {...spec, width: "container", autosize: {type: "fit-x", contains: "padding"}};
}

function plotOf(chart) {
  return byId(`${chart.id}-plot`);
}

async function drawChart(chart) {
  const plot = plotOf(chart);
  try {
    await vegaEmbed(plot, fitted(chart, plot.clientWidth), {
      ast: true,
      renderer: "svg",
      config: chartConfig(),
      downloadFileName: chart.id,
      tooltip: {theme: "custom"},
      actions: {export: {svg: true, png: true}, source: false, compiled: false, editor: false},
      scaleFactor: 2,
      logLevel: 1, // errors: what else is said of a specification is not for its readers
    });
    const menu = plot.querySelector("summary");
    if (menu) menu.setAttribute("aria-label", `Save the chart ${chart.title}`);
    const svg = plot.querySelector("svg.marks");
    if (svg) {
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", `${chart.title}. ${chart.caption}`);
    }
    plot.dataset.state = "drawn";
  } catch (failure) {
    plot.dataset.state = "failed";
    plot.replaceChildren(
      element("p", {class: "data", text: `This chart cannot be drawn: ${failure.message}`}),
    );
  }
}

let chartsRound = 0;
async function drawCharts() {
  const round = ++chartsRound;
  for (const chart of data.charts) {
    await drawChart(chart);
    if (round !== chartsRound) return; // the theme changed meanwhile: another round is under way
  }
  byId("charts").dataset.state = "done";
}

function prepareCharts() {
  if (!data.charts.length) return;
  const list = byId("chart-list");
  const drawable = typeof vegaEmbed === "function";
  if (!drawable) {
    list.before(
      element("p", {
        class: "flag tone-caution",
        text:
          "The charts are missing: Palimpsest was built without the libraries that draw them " +
          "(vega, vega-lite, vega-embed). Install npm, build again and make the report again. " +
          "Everything else on this page is complete.",
      }),
    );
  }
  // Wide ones last, so that they leave no holes.
  data.charts.sort((a, b) => isFaceted(a.spec) - isFaceted(b.spec));
  for (const chart of data.charts) {
    list.append(
      element(
        "figure",
        {class: isFaceted(chart.spec) ? "chart wide" : "chart", id: chart.id},
        element(
          "figcaption",
          {},
          element("h3", {class: "data", text: chart.title}),
          element("p", {class: "caption data", text: chart.caption}),
        ),
        drawable ? element("div", {id: `${chart.id}-plot`, class: "plot"}) : null,
      ),
    );
  }
  reveal(byId("charts"), "Charts");
  if (!drawable) return;
  setTimeout(drawCharts); // the rest of the page first
  let width = innerWidth,
    waiting = 0;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(waiting);
    if (data.charts.some((chart) => isFaceted(chart.spec))) waiting = setTimeout(drawCharts, 300);
  });
}
