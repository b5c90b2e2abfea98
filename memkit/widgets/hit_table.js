// Shows the table in `value`, and tells Python the `data-key` of what was clicked, or chosen with Enter or Space.
function render({ model, el }) {
  function draw() {
    const focused = el.getRootNode().activeElement;
    const key = el.contains(focused) ? focused.dataset.key : undefined;
    el.innerHTML = model.get("value"); // made and escaped by memkit
    if (key) el.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
  }

  el.dataset.lmSuppressShortcuts = "true"; // JupyterLab leaves the keys to the table
  model.on("change:value", draw);
  el.addEventListener("click", (event) => {
    // A row opens as its button does, unless somebody marks its text.
    const row = getSelection().toString() ? null : event.target.closest("[data-row]");
    const node = event.target.closest("[data-key]") ?? row?.querySelector("button");
    if (node) model.send({ key: node.dataset.key });
  });
  draw();
  return () => model.off("change:value", draw);
}

export default { render };
