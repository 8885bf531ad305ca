"use strict";
// Shows each point as under the pointer, by the same events, and says it: left and right on a curve,
// up and down to the next one.
function takeKeys(figure, live) {
  const byName = new Map();
  for (const mark of live.querySelectorAll(".mark-symbol.role-mark path")) {
    const name = mark.__data__.datum.series;
    byName.set(name, [...(byName.get(name) ?? []), mark]);
  }
  const curves = [...byName.values()], said = figure.querySelector(".said");
  let curve = 0, at = -1;
  const send = (type) => {
    const box = curves[curve][at].getBoundingClientRect();
    curves[curve][at].dispatchEvent(new MouseEvent(type,
      {bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2}));
  };
  const leave = () => {
    if (at < 0) return;
    curves[curve][at].classList.remove("pointed");
    send("mouseout");
  };
  const steps = {
    ArrowRight: () => at + 1, ArrowLeft: () => at - 1, Home: () => 0, End: () => Infinity,
    ArrowUp: () => change(-1), ArrowDown: () => change(1),
  };
  // To the point of the next curve that is nearest along x.
  const change = (step) => {
    const x = at < 0 ? 0 : curves[curve][at].__data__.x;
    curve = (curve + step + curves.length) % curves.length;
    const away = curves[curve].map((mark) => Math.abs(mark.__data__.x - x));
    return away.indexOf(Math.min(...away));
  };
  live.tabIndex = 0;
  live.setAttribute("role", "application");
  live.setAttribute("aria-label", figure.querySelector("figcaption").textContent);
  live.onfocus = () => { said.textContent = "Arrow keys lead from point to point, Enter to its row."; };
  live.onblur = () => { leave(); said.textContent = ""; };
  live.onkeydown = (event) => {
    if (event.key === "Enter" && at >= 0) send("click");
    if (event.key === "Escape") leave();
    if (!(event.key in steps) || curves.length === 0) return;
    event.preventDefault();
    leave();
    at = Math.max(0, Math.min(steps[event.key](), curves[curve].length - 1));
    const mark = curves[curve][at];
    mark.classList.add("pointed");
    send("mousemove");
    said.textContent = mark.getAttribute("aria-label");
  };
}
// Figures by Vega, in place of those that need no script, before they come into sight: pages of many
// runs open at once.
function draw(figure) {
  const live = figure.querySelector(".live");
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  figure.classList.add("is-live");
  vegaEmbed(live, JSON.parse(figure.querySelector("script").textContent), {
    mode: "vega-lite", renderer: "svg", actions: false, tooltip: {theme: dark ? "dark" : "light"},
  }).then(() => takeKeys(figure, live)).catch((error) => {
    figure.classList.remove("is-live");
    console.error(error);
  });
}
const sight = new IntersectionObserver((entries) => {
  for (const entry of entries.filter((one) => one.isIntersecting)) {
    sight.unobserve(entry.target);
    draw(entry.target);
  }
}, {rootMargin: "50% 0%"});
for (const figure of document.querySelectorAll("figure.chart")) sight.observe(figure);
// Tables by tablesorter; headings take the keyboard.
jQuery("table").each(function () {
  jQuery(this).tablesorter({textAttribute: "data-value", useUTCDate: true, emptyTo: "bottom",
                            delayInit: true});
});
// A table that goes on to the right has a shadow there, and its first column stays.
const widths = new ResizeObserver((entries) => entries.forEach((one) => hint(one.target)));
function hint(box) {
  box.classList.toggle("beyond", box.scrollWidth > box.clientWidth + 1);
}
for (const box of document.querySelectorAll(".wide")) widths.observe(box);
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.onclick = () => {
    const table = button.parentElement.querySelector("table");
    // Not by the selection, which headings that sort are no part of.
    document.addEventListener("copy", (event) => {
      event.clipboardData.setData("text/plain", [...table.rows].map(
        (row) => [...row.cells].map((cell) => cell.textContent.trim()).join("\t")).join("\n"));
      event.preventDefault();
    }, {once: true});
    if (document.execCommand("copy")) button.textContent = "Copied";
  };
}
