"use strict";
// “Copy the link” and “Print the quote”: both need a script, so both buttons show only where scripts run.
(() => {
  const fallback = (text) => {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "vh";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("copy refused");
  };
  const copy = async (button) => {
    const text = new URL(button.dataset.copy, location.href).href;
    const status = document.getElementById("status");
    try {
      if (navigator.clipboard) await navigator.clipboard.writeText(text);
      else fallback(text);
      status.textContent = button.dataset.done;
      button.classList.add("done");
    } catch {
      status.textContent = button.dataset.failed;
    }
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy], [data-print]");
    if (button?.dataset.copy) copy(button);
    else if (button) (window.chartsReady?.() ?? Promise.resolve()).finally(() => window.print());
  });
})();
