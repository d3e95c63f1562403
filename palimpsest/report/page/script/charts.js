// The charts are in the page as SVG. This adds the values under the pointer, and a button that saves
// a chart. The values of lines are read back from their paths, with the scales that a panel states.
const kReach = 16; // how near the pointer must come, in units of the drawing

function scaleOf(panel, axis) {
  if (!panel.dataset[axis]) return null;
  const [kind, ...numbers] = panel.dataset[axis].split(" ");
  const [low, high, from, to] = numbers.map(Number);
  const title = panel.dataset[`${axis}Title`] || axis;
  return {
    title,
    value(place) {
      const share = (place - from) / (to - from);
      return kind === "log" ? low * (high / low) ** share : low + share * (high - low);
    },
  };
}

// What a chart can tell: dots, bars and the corners of lines, each with its place and its text.
function targetsOf(svg) {
  const targets = {dots: [], bars: [], lines: []};
  const number = (node, name) => Number(node.getAttribute(name));
  for (const title of svg.querySelectorAll(".panel title")) {
    const node = title.parentNode,
      text = title.textContent,
      box = node.getBBox();
    if (node.matches(".bar")) {
      targets.bars.push({text, left: box.x, right: box.x + box.width, panel: node.closest(".panel")});
    } else if (node.matches(".dot")) {
      targets.dots.push({text, x: box.x + box.width / 2, y: box.y + box.height / 2});
    } else if (node.matches(".extent")) {
      const [x, x2, y, y2] = ["x1", "x2", "y1", "y2"].map((name) => number(node, name));
      targets.dots.push({text, x, y}, {text, x: x2, y: y2});
    } else if (node.matches(".curve")) {
      const panel = node.closest(".panel"),
        across = scaleOf(panel, "x"),
        along = scaleOf(panel, "y");
      const numbers = node.getAttribute("d").match(/-?[\d.]+/g).map(Number);
      for (let i = 0; across && along && i + 1 < numbers.length; i += 2)
        targets.lines.push({name: text, x: numbers[i], y: numbers[i + 1], across, along});
      continue; // its title stays: it names the whole line
    } else {
      continue; // the whole text of a name that was shortened, and the meaning of a reference line
    }
    title.remove(); // else the browser shows the same once more
  }
  return targets;
}

function nearest(places, x, y) {
  let best = null,
    least = kReach ** 2;
  for (const place of places) {
    const distance = (place.x - x) ** 2 + (place.y - y) ** 2;
    if (distance < least) [best, least] = [place, distance];
  }
  return best;
}

function tipText(svg, targets, event) {
  const {x, y} = new DOMPoint(event.clientX, event.clientY).matrixTransform(
    svg.getScreenCTM().inverse(),
  );
  const dot = nearest(targets.dots, x, y);
  if (dot) return dot.text;
  const panel = event.target.closest(".panel");
  const bars = targets.bars.filter(
    (bar) => bar.panel === panel && bar.left <= x && x < bar.right,
  );
  if (bars.length) return bars.map((bar) => bar.text).join("\n");
  const point = nearest(targets.lines, x, y);
  if (!point) return "";
  const values = [
    [point.across, point.x],
    [point.along, point.y],
  ].map(([scale, place]) => `${scale.title}: ${shortNumber(scale.value(place))}`);
  return [point.name, ...values].join("\n");
}

function showTip(tip, text, event) {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  const below = event.clientY + 16;
  const fits = below + tip.offsetHeight < innerHeight - 8;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${fits ? below : event.clientY - tip.offsetHeight - 12}px`;
}

// The colours of white paper are attributes of the drawing: a file needs no more than these.
function saveChart(figure) {
  const text = new XMLSerializer().serializeToString(figure.querySelector("svg"));
  const address = URL.createObjectURL(new Blob([text], {type: "image/svg+xml"}));
  element("a", {href: address, download: `${figure.id}.svg`}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

function prepareCharts() {
  const figures = document.querySelectorAll("#chart-list > figure");
  if (!figures.length) return;
  const tip = element("div", {class: "tip data", id: "chart-tip", hidden: true});
  document.body.append(tip);
  for (const figure of figures) {
    const svg = figure.querySelector("svg");
    let targets = null;
    const show = (event) => {
      targets ||= targetsOf(svg);
      showTip(tip, tipText(svg, targets, event), event);
    };
    svg.addEventListener("pointermove", show);
    svg.addEventListener("pointerdown", show); // a finger does not hover
    svg.addEventListener("pointerleave", (event) => {
      if (event.pointerType !== "touch") tip.hidden = true; // what was tapped stays until the page scrolls
    });
    figure.append(
      element("button", {
        type: "button",
        class: "quiet save",
        "aria-label": `Save the chart ${figure.querySelector("h3").textContent} as SVG`,
        text: "SVG",
        click: () => saveChart(figure),
      }),
    );
  }
  addEventListener("scroll", () => (tip.hidden = true), {passive: true});
  reveal(byId("charts"), "Charts");
}
