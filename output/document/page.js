"use strict";
// Figures by Vega, in place of those that need no script.
for (const figure of document.querySelectorAll("figure.chart")) {
  const live = figure.querySelector(".live");
  figure.classList.add("is-live");
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  vegaEmbed(live, JSON.parse(figure.querySelector("script").textContent), {
    mode: "vega-lite", renderer: "svg", actions: false, tooltip: {theme: dark ? "dark" : "light"},
  }).catch((error) => {
    figure.classList.remove("is-live");
    console.error(error);
  });
}
// Tables by tablesorter; headings take the keyboard.
jQuery("table").each(function () {
  jQuery(this).tablesorter({textAttribute: "data-value", useUTCDate: true, emptyTo: "bottom"});
});
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.onclick = () => {
    getSelection().selectAllChildren(button.parentElement.querySelector("table"));
    if (document.execCommand("copy")) button.textContent = "Copied";
  };
}
