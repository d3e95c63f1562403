// Light and dark, and the order in which the page is built.
const theme = {
  button: byId("theme"),
  media: matchMedia("(prefers-color-scheme: dark)"),
  isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : this.media.matches;
  },
  label() {
    this.button.textContent = this.isDark() ? "Light" : "Dark";
    this.button.setAttribute(
      "aria-label",
      this.isDark() ? "Use light colours" : "Use dark colours",
    );
  },
  start() {
    this.label();
    this.button.addEventListener("click", () => {
      document.documentElement.dataset.theme = this.isDark() ? "light" : "dark";
      this.label();
    });
    this.media.addEventListener("change", () => this.label());
  },
};

theme.start();
drawSummary();
prepareCharts();
if (data.examples.index.length) startExamples();
drawEntries(byId("method"), byId("method-list"), data.methods, "Method");
drawEntries(byId("run"), byId("run-list"), data.run, "Run");
const provenance = document.getElementById("provenance");
if (provenance) reveal(provenance, "Provenance");
document.documentElement.dataset.ready = "true";
