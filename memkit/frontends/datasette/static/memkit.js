// What pages can do more where there is JavaScript: a slider that answers at once, copying, arrow keys in a drawing.

for (const form of document.querySelectorAll("form[data-context]")) {
  const slider = form.querySelector("input[type=range]");
  const shown = document.querySelector("#context");
  const copy = document.querySelector("[data-copy='#context']");
  let asked = 0;
  const show = (text) => {
    shown.textContent = text;
    shown.hidden = copy.hidden = !text;
  };
  const ask = async () => {
    const mine = ++asked;
    const url = new URL(form.dataset.context, location.href);
    url.searchParams.set("budget", slider.value);
    const response = await fetch(url, { headers: { accept: "application/json" } });
    const found = await response.json();
    if (mine === asked) show(found.context || found.error || "Nothing fits into so few tokens.");
  };
  slider.addEventListener("input", () => { form.querySelector("output").value = slider.value; });
  slider.addEventListener("change", ask);
  form.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
  copy.hidden = shown.hidden;
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const said = button.textContent;
    await navigator.clipboard.writeText(document.querySelector(button.dataset.copy).textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = said; }, 1500);
  });
}

// An address has only the fields that were filled in.
for (const form of document.querySelectorAll(".mk form[method=get]")) {
  form.addEventListener("submit", () => {
    const empty = [...form.elements].filter((field) => field.name && !field.value && !field.disabled);
    for (const field of empty) field.disabled = true;
    setTimeout(() => { for (const field of empty) field.disabled = false; }, 0);
  });
}

// The arrow keys go to the nearest name in that direction.
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
for (const drawing of document.querySelectorAll(".mk-drawing")) {
  drawing.addEventListener("keydown", (event) => {
    const way = WAYS[event.key];
    if (!way) return;
    const links = [...drawing.querySelectorAll("a")];
    const at = (link) => {
      const circle = link.querySelector("circle");
      return [circle.cx.baseVal.value, circle.cy.baseVal.value];
    };
    const here = document.activeElement.closest(".mk-drawing a");
    if (!here) {
      links[0]?.focus();
      event.preventDefault();
      return;
    }
    const [x, y] = at(here);
    let best = null, least = Infinity;
    for (const link of links) {
      const [dx, dy] = [at(link)[0] - x, at(link)[1] - y];
      const along = dx * way[0] + dy * way[1];
      const aside = Math.abs(dx * way[1] + dy * way[0]);
      if (along > 0 && along + 2 * aside < least) [best, least] = [link, along + 2 * aside];
    }
    best?.focus();
    event.preventDefault();
  });
}

// Keys: / goes to the question (Datasette 1.0 has its own menu at /), j and k to the next and the previous hit, Enter
// opens it, ? lists the keys.
const hits = [...document.querySelectorAll(".mk-hit h2 a")];
const KEYS = [["/", "the question, or Datasette's menu"], ["j", "the next memory"], ["k", "the one before"], ["Enter", "open it"], ["?", "this list"]];
const step = (by) => {
  const at = hits.findIndex((link) => link.closest(".mk-hit").contains(document.activeElement));
  const to = hits[Math.max(0, Math.min(hits.length - 1, at < 0 ? 0 : at + by))];
  to?.focus();
  to?.closest(".mk-hit").scrollIntoView({ block: "nearest" });
};
const help = () => {
  let dialog = document.querySelector("#mk-keys");
  if (!dialog) {
    dialog = document.createElement("dialog");
    dialog.id = "mk-keys";
    dialog.setAttribute("aria-label", "Keys");
    const list = document.createElement("dl");
    for (const [key, does] of KEYS) {
      const name = document.createElement("dt");
      name.append(Object.assign(document.createElement("kbd"), { textContent: key }));
      list.append(name, Object.assign(document.createElement("dd"), { textContent: does }));
    }
    const close = Object.assign(document.createElement("button"), { textContent: "Close", className: "mk-quiet" });
    close.addEventListener("click", () => dialog.close());
    dialog.append(list, close);
    document.querySelector(".mk").append(dialog);
  }
  if (dialog.open) dialog.close(); else dialog.showModal();
};
const DOES = { j: () => step(1), k: () => step(-1), "?": help };
if (!document.querySelector("navigation-search")) {
  DOES["/"] = () => { const box = document.querySelector(".mk #q"); box?.focus(); box?.select(); };
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, [contenteditable]")) return;
  if (!DOES[event.key]) return;
  event.preventDefault();
  DOES[event.key]();
});
