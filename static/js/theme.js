"use strict";
// Loaded in the head, before the first paint: puts the reader's choice on <html>, then keeps the three radios in step.
(() => {
  const root = document.documentElement;
  const read = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const write = (theme) => { try { localStorage.setItem("theme", theme); } catch { /* private mode: the choice lives as long as the page */ } };
  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  const check = () => {
    const chosen = document.getElementById(`theme-${read()}`);
    if (chosen) chosen.checked = true;
  };
  root.classList.add("js");
  apply(read());
  document.addEventListener("DOMContentLoaded", check);
  document.addEventListener("htmx:after:swap", check);
  document.addEventListener("change", (event) => {
    if (event.target.name !== "theme") return;
    write(event.target.value);
    apply(event.target.value);
    document.dispatchEvent(new CustomEvent("themechange"));
  });
})();
