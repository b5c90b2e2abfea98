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

// While somebody types: names and titles that begin with the last words, and, where a question is asked, the earlier
// questions of this browser. They stay in the browser.
const ASKED = "memkit-asked";
const earlier = () => { try { return JSON.parse(localStorage.getItem(ASKED)) || []; } catch { return []; } };
for (const box of document.querySelectorAll("input[data-begins]")) {
  const list = document.getElementById(box.getAttribute("list"));
  const given = [...list.options].map((option) => option.value);
  let turn = 0, waiting = 0;
  const offer = (values) => {
    list.replaceChildren(...[...new Set(values)].slice(0, 12).map((value) => Object.assign(document.createElement("option"), { value })));
  };
  const complete = async () => {
    const mine = ++turn;
    const typed = box.value;
    if (!typed.trim()) return offer("asked" in box.dataset ? earlier() : given);
    const found = [];
    for (const where of JSON.parse(box.dataset.begins)) {
      const response = await fetch(`${where}?${new URLSearchParams({ q: typed, ...("asked" in box.dataset && { question: 1 }) })}`);
      if (mine !== turn || !response.ok) return;
      found.push(...(await response.json()).names);
    }
    const before = "asked" in box.dataset ? earlier().filter((one) => one.toLowerCase().includes(typed.toLowerCase())) : [];
    if (mine === turn) offer([...found, ...before.slice(0, 4)]);
  };
  box.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(complete, 80); });
  box.addEventListener("focus", () => { if (!box.value) complete(); });
  if ("asked" in box.dataset) {
    box.form.addEventListener("submit", () => {
      if (!box.value.trim()) return;
      try {
        localStorage.setItem(ASKED, JSON.stringify([box.value, ...earlier().filter((one) => one !== box.value)].slice(0, 30)));
      } catch { /* a browser that keeps nothing */ }
    });
  }
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

// A drawing is made larger with buttons, + and -, or Ctrl and the wheel; it is moved by dragging and by scrolling.
for (const drawing of document.querySelectorAll(".mk-drawing")) {
  const picture = drawing.querySelector("svg");
  if (!picture) continue;
  const canvas = Object.assign(document.createElement("div"), { className: "mk-canvas" });
  drawing.replaceWith(canvas);
  canvas.append(drawing);
  let width = null;
  const zoom = (by, x = drawing.clientWidth / 2, y = drawing.clientHeight / 2) => {
    const before = picture.getBoundingClientRect().width;
    width = by ? Math.max(drawing.clientWidth / 2, Math.min(8 * picture.viewBox.baseVal.width, before * by)) : null;
    Object.assign(picture.style, width ? { width: `${width}px`, minWidth: "0", maxWidth: "none" } : { width: "", minWidth: "0", maxWidth: "" });
    canvas.classList.toggle("mk-zoomed", width !== null);
    const ratio = picture.getBoundingClientRect().width / before;
    drawing.scrollLeft = (drawing.scrollLeft + x) * ratio - x;
    drawing.scrollTop = (drawing.scrollTop + y) * ratio - y;
  };
  const buttons = Object.assign(document.createElement("div"), { className: "mk-zoom" });
  for (const [sign, label, by] of [["+", "Larger", 1.4], ["−", "Smaller", 1 / 1.4], ["⤢", "All of it", 0]]) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "mk-quiet", textContent: sign, title: label });
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => zoom(by));
    buttons.append(button);
  }
  canvas.append(buttons);
  drawing.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = drawing.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  drawing.addEventListener("keydown", (event) => {
    const by = { "+": 1.4, "=": 1.4, "-": 1 / 1.4, 0: 0 }[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    zoom(by);
  });
  let held = null;
  drawing.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button || event.target.closest("a")) return;
    held = { x: event.clientX + drawing.scrollLeft, y: event.clientY + drawing.scrollTop };
    drawing.setPointerCapture(event.pointerId);
  });
  drawing.addEventListener("pointermove", (event) => {
    if (held) [drawing.scrollLeft, drawing.scrollTop] = [held.x - event.clientX, held.y - event.clientY];
  });
  for (const end of ["pointerup", "pointercancel"]) drawing.addEventListener(end, () => { held = null; });
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
