"use strict";
// Draws figures that the server sends as data. The library loads once, when a chart nears the view; colours come from
// the page's custom properties, so a change of theme redraws.
(() => {
  const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, staticPlot: true };
  const NARROW_PX = 540, PRINT_PX = 640;
  const INK = { gpu: "--gpu", api: "--api", mute: "--mute", ink: "--ink", dot: "--ink", area: "--gpu" };
  const drawn = new Set();
  let library, probe;
  const load = (src) => library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = src;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => { library = undefined; reject(new Error(src)); };
    document.head.append(script);
  });
  const colour = (name, alpha) => {
    probe ??= document.body.appendChild(Object.assign(document.createElement("i"), { hidden: true }));
    probe.style.color = `var(${name})`;
    const rgb = getComputedStyle(probe).color;
    return alpha ? rgb.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`) : rgb;
  };
  const traced = (trace) => {
    const role = trace.meta.role, ink = colour(INK[role]);
    if (role === "area") return { ...trace, fillcolor: colour("--gpu", 0.09) };
    if (role === "dot") return { ...trace, marker: { ...trace.marker, color: colour("--surface"), line: { width: 2, color: ink } } };
    return { ...trace, line: { ...trace.line, color: ink } };
  };
  const noted = (note, narrow) => {
    const strong = note.name !== "mute";
    const inside = narrow && (note.yref === "paper" ? { yshift: -34 } : note.xanchor === "left" ? { xanchor: "right", xshift: -2, yanchor: "bottom", align: "right" } : {});
    return { ...note, ...inside, font: { color: colour(INK[note.name]), weight: strong ? 600 : 400 }, bgcolor: strong && !narrow ? colour("--surface", 0.8) : "rgba(0, 0, 0, 0)" };
  };
  const themed = (figure, width) => {
    const { layout } = figure, narrow = width < NARROW_PX;
    const axis = { color: colour("--ink-2"), gridcolor: colour("--line"), linecolor: colour("--line-strong") };
    const french = document.documentElement.lang === "fr";
    return {
      ...layout, width, autosize: false,
      margin: narrow ? { l: 44, r: 8, t: 12, b: 48 } : layout.margin,
      paper_bgcolor: "rgba(0, 0, 0, 0)", plot_bgcolor: "rgba(0, 0, 0, 0)",
      font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: colour("--ink-2") },
      separators: french ? ",\u202f" : ".,",
      xaxis: { ...layout.xaxis, ...axis, showline: true }, yaxis: { ...layout.yaxis, ...axis },
      shapes: layout.shapes.map((shape) => ({ ...shape, line: { ...shape.line, color: colour("--ink") } })),
      annotations: layout.annotations.map((note) => noted(note, narrow)),
    };
  };
  const draw = async (box, width) => {
    const plotly = await load(box.dataset.src), data = document.getElementById(box.dataset.chart);
    if (!box.isConnected || !data) return;
    const figure = JSON.parse(data.textContent);
    drawn.add(box);
    await plotly.react(box, figure.data.map(traced), { ...themed(figure, width ?? box.clientWidth), height: box.clientHeight }, CONFIG);
  };
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) { near.unobserve(entry.target); draw(entry.target); }
  }, { rootMargin: "200px" });
  const resized = new ResizeObserver((entries) => { for (const entry of entries) if (drawn.has(entry.target)) draw(entry.target); });
  const boxes = () => document.querySelectorAll("[data-chart]");
  const refresh = () => {
    for (const box of drawn) if (!box.isConnected) { window.Plotly?.purge(box); drawn.delete(box); }
    for (const box of boxes()) if (drawn.has(box)) draw(box); else { near.observe(box); resized.observe(box); }
  };
  window.chartsReady = () => Promise.allSettled([...boxes()].map((box) => draw(box)));
  for (const name of ["htmx:after:swap", "htmx:afterSwap", "themechange"]) document.addEventListener(name, refresh);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
  let theme;
  addEventListener("beforeprint", () => {
    theme = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    for (const box of drawn) draw(box, PRINT_PX);
  });
  addEventListener("afterprint", () => {
    if (theme) document.documentElement.dataset.theme = theme; else delete document.documentElement.dataset.theme;
    refresh();
  });
  refresh();
})();
