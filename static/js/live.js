"use strict";
// Around htmx's live result: says that it waits, that it failed, and, once typing has stopped, what it is now.
(() => {
  const byId = (id) => document.getElementById(id);
  const QUIET_MS = 1000;
  let timer;
  const say = (text) => { byId("status").textContent = text; };
  const busy = (is) => byId("result")?.setAttribute("aria-busy", String(is));
  const late = () => {
    const notice = byId("late");
    if (!notice) return;
    notice.hidden = false;
    byId("answer")?.classList.add("stale");
    say(notice.textContent.trim());
  };
  const mark = () => {
    for (const field of document.querySelectorAll(".field")) {
      const wrong = field.querySelector(".err") ? "true" : null;
      for (const input of field.querySelectorAll(".box > input, .box > select")) input.ariaInvalid = wrong;
    }
  };
  // A swap keeps each group as the reader left it; one that a choice has just made needed unfolds once.
  let unfolded = new Set();
  const unfold = () => {
    const needed = [...document.querySelectorAll("details[data-open]")];
    for (const group of needed) if (!unfolded.has(group.id)) group.open = true;
    unfolded = new Set(needed.map((group) => group.id));
  };
  // An answer comes without the fields that it does not change: what was wrong in one of them is right now.
  const clear = () => {
    if (byId("problems")?.textContent.trim()) return;
    for (const error of document.querySelectorAll("#form .err")) error.remove();
  };
  const settle = () => {
    clear();
    mark();
    unfold();
    const field = document.activeElement?.closest(".field");
    if (field?.querySelector(".err")) field.scrollIntoView({ block: "nearest" });
    clearTimeout(timer);
    timer = setTimeout(() => say(byId("problems")?.textContent.trim() ? "" : byId("calc")?.dataset.status ?? ""), QUIET_MS);
  };
  // The links to the other language came with the page: they must carry what has been typed since. What the server has
  // not answered yet is read in the language that it was typed in, then shown in the other.
  let typed = false;
  document.addEventListener("input", (event) => { if (event.target.form?.id === "form") typed = true; });
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[hreflang]");
    if (!link) return;
    link.search = location.search;
    if (!typed && byId("result")?.ariaBusy !== "true") return;
    event.preventDefault();
    const form = byId("form");
    const read = await fetch(`${form.action}?${new URLSearchParams(new FormData(form))}`).catch(() => ({}));
    if (read.redirected) link.search = new URL(read.url).search;
    location.assign(link.href);
  });
  const ours = (event) => event.detail?.ctx?.sourceElement?.id === "form";
  document.addEventListener("htmx:before:request", (event) => { if (ours(event)) { typed = false; busy(true); } });
  document.addEventListener("htmx:finally:request", (event) => { if (ours(event)) busy(false); });
  document.addEventListener("htmx:error", (event) => { if (ours(event)) late(); });
  document.addEventListener("htmx:response:error", (event) => { if (ours(event)) late(); });
  document.addEventListener("htmx:after:swap", settle);
})();
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
