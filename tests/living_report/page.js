"use strict";
// Without it the page is whole: it only leaves out, opens and closes.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const form = document.querySelector(".filter");
  const told = form.querySelector("[role=status]");
  const plain = (text) => text.toLowerCase().replaceAll("ё", "е").replace(/\s+/g, " ");
  const scenarios = all(".scenario, .elsewhere");
  const texts = new Map([...scenarios, ...all(".row")].map((one) => [one, plain(one.textContent)]));

  const show = (one, shown) => { one.hidden = !shown; return shown; };

  function narrow() {
    const words = plain(form.elements.words.value).split(" ").filter(Boolean);
    const standing = form.elements.standing.value;
    const says = (one) => words.every((word) => texts.get(one).includes(word));
    const stands = (one) => !standing || one.dataset.standing === standing;
    let rows = 0;
    for (const row of all(".row")) {
      const inside = all(".scenario", row);
      inside.forEach((one) => show(one, stands(one)));
      rows += show(row, says(row) && (stands(row) || inside.some(stands))) ? 1 : 0;
    }
    const below = document.getElementById("features");
    all(".scenario, .elsewhere", below).forEach((one) => show(one, says(one) && stands(one)));
    const narrowed = words.length > 0 || standing !== "";
    all(".lead, .of-rule").forEach((one) => show(one, !narrowed));
    const left = (part) => part.querySelector(".row:not([hidden]), :scope > :is(.scenario, .elsewhere):not([hidden])");
    all(".part").forEach((part) => show(part, left(part)));
    all(".spec, #features").forEach((part) => show(part, part.querySelector(".part:not([hidden])")));
    const further = all(":is(.scenario, .elsewhere):not([hidden])", below).length;
    told.textContent = narrowed ? `${rows} rows; ${further} scenarios by feature` : "";
    show(document.querySelector(".nothing"), narrowed && rows + further === 0);
  }

  function open() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]")) { form.reset(); narrow(); }
    if (target.tagName === "DETAILS") target.open = true;
    target.scrollIntoView();
  }

  form.hidden = false;
  document.documentElement.classList.add("scripted");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", narrow);
  all("button[data-open]").forEach((button) => button.addEventListener("click", () =>
    all(".scenario").forEach((one) => { one.open = button.dataset.open === "yes"; })));
  addEventListener("hashchange", open);
  addEventListener("beforeprint", () => all(".scenario[id]").forEach((one) => { one.open = true; }));
  if (matchMedia("(max-width: 64rem)").matches) document.querySelector("nav details").open = false;
  narrow();
  open();
})();
