// Shows the SVG in `value`, and puts into `chosen` which of its entities was clicked, or chosen with Enter or Space.
const KEYS = ["Enter", " "];

function render({ model, el }) {
  let walked = false; // by a key: then the new drawing's middle has the focus

  function draw() {
    el.innerHTML = model.get("value"); // made and escaped by memkit
    for (const node of el.querySelectorAll("[data-entity]")) {
      node.setAttribute("tabindex", "0");
      node.setAttribute("role", "button");
      node.setAttribute("aria-label", node.querySelector("title").textContent);
      node.style.cursor = "pointer";
    }
    const seen = [...el.querySelectorAll("[data-entity]")].find((node) => node.getBoundingClientRect().width);
    if (walked) seen?.focus(); // the middle of the drawing that fits the column
    walked = false;
  }

  function choose(event) {
    const node = event.target.closest("[data-entity]");
    if (!node) return;
    event.preventDefault();
    event.stopPropagation();
    walked = event.type === "keydown";
    model.set("chosen", ""); // the same name again is a choice, too
    model.save_changes();
    model.set("chosen", node.dataset.entity);
    model.save_changes();
  }

  el.dataset.lmSuppressShortcuts = "true"; // JupyterLab leaves Enter to the picture
  model.on("change:value", draw);
  el.addEventListener("click", choose);
  el.addEventListener("keydown", (event) => KEYS.includes(event.key) && choose(event));
  draw();
  return () => model.off("change:value", draw);
}

export default { render };
