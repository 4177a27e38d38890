"use strict";
// Draws figures that the server sends as data. The library loads once, when a chart nears the view; colours come from
// the page's custom properties, so a change of theme redraws.
(() => {
  const config = { displayModeBar: false, responsive: true, scrollZoom: false, staticPlot: true };
  const root = document.documentElement, clear = "rgba(0, 0, 0, 0)", narrowPx = 540, print = { width: 640, height: 226 };
  const inks = { gpu: "--gpu", api: "--api", mute: "--mute", ink: "--ink", dot: "--ink", free: "--line", rest: "--sunken" };
  const drawn = new Set();
  let library, probe, theme;
  const load = (src) => library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    Object.assign(script, { src, onload: () => resolve(window.Plotly), onerror: () => { library = null; reject(new Error(src)); } });
    document.head.append(script);
  });
  const colour = (name, alpha) => {
    probe ??= document.head.appendChild(document.createElement("i"));
    probe.style.color = `var(${name})`;
    const rgb = getComputedStyle(probe).color;
    return alpha ? rgb.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`) : rgb;
  };
  const traced = (trace) => {
    const role = trace.meta.role, color = colour(inks[role] ?? "--gpu");
    if (role === "area") return { ...trace, fillcolor: colour("--gpu", 0.09) };
    if (role === "dot") return { ...trace, marker: { ...trace.marker, color: colour("--surface"), line: { width: 2, color } } };
    if (trace.type === "bar") return { ...trace, marker: { ...trace.marker, color } };
    return { ...trace, line: { ...trace.line, color }, ...(trace.marker && { marker: { ...trace.marker, color } }) };
  };
  // On a phone names of lines stay beside the plot, smaller; a rule near the left edge has its text on the right.
  const noted = (note, narrow, [low, high] = []) => {
    const strong = note.name !== "mute", flips = narrow && note.yref && note.x < (low + high) / 2;
    const bgcolor = strong && !narrow ? colour("--surface", 0.8) : clear;
    return { ...note, ...(flips && { xanchor: "left", xshift: 6 }), bgcolor, font: { color: colour(inks[note.name]), weight: strong ? 600 : 400, size: narrow ? 10 : 12 } };
  };
  const themed = ({ layout }, width, height) => {
    const narrow = width < narrowPx, color = colour("--ink-2");
    const axis = { color, gridcolor: colour("--line"), linecolor: colour("--line-strong"), separatethousands: true, tickangle: 0, tickfont: { size: narrow ? 10 : 12 } };
    return {
      ...layout, width, height, autosize: false, paper_bgcolor: clear, plot_bgcolor: clear,
      margin: narrow ? layout.meta?.narrow ?? { ...layout.margin, l: 44, r: layout.margin.r * 0.8 } : layout.margin,
      font: { family: getComputedStyle(document.body).fontFamily, size: 12, color },
      separators: root.lang === "fr" ? ",\u202f" : ".,",
      xaxis: { ...layout.xaxis, ...axis, showline: true, title: { ...layout.xaxis.title, font: { size: narrow ? 10 : 12 } } }, yaxis: { ...layout.yaxis, ...axis },
      shapes: layout.shapes.map((shape) => ({ ...shape, line: { ...shape.line, color: colour("--ink") } })),
      annotations: layout.annotations.map((note) => noted(note, narrow, layout.xaxis.range)),
    };
  };
  const draw = async (box, paper) => {
    const plotly = await load(box.dataset.src), data = document.getElementById(box.dataset.chart);
    if (!box.isConnected || !data) return;
    const figure = JSON.parse(data.textContent);
    drawn.add(box);
    await plotly.react(box, figure.data.map(traced), themed(figure, paper?.width ?? box.clientWidth, paper?.height ?? box.clientHeight), config);
  };
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) { near.unobserve(target); draw(target); }
  }, { rootMargin: "200px" });
  const resized = new ResizeObserver((entries) => { for (const { target } of entries) if (drawn.has(target)) draw(target); });
  const boxes = () => [...document.querySelectorAll("[data-chart]")];
  const refresh = () => {
    for (const box of drawn) if (!box.isConnected) { window.Plotly.purge(box); drawn.delete(box); }
    for (const box of boxes()) if (drawn.has(box)) draw(box); else { near.observe(box); resized.observe(box); }
  };
  window.chartsReady = () => Promise.allSettled(boxes().map((box) => draw(box)));
  for (const name of ["htmx:after:swap", "themechange"]) document.addEventListener(name, refresh);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
  addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    for (const box of drawn) draw(box, print);
  });
  addEventListener("afterprint", () => {
    if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
    refresh();
  });
  refresh();
})();
