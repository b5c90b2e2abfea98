// Gives the sliders of a widget the names and values that screen readers say: ipywidgets labels them for the eye only.
// `value` is JSON: by the label of a slider, the words for each of its handles where it shows none itself.
const ENDS = [", from", ", to"];

function render({ model, el }) {
  let whole = null;
  let waiting = 0;
  const seen = new MutationObserver(name);

  function begin() {
    whole = el.closest(".memkit-asking");
    if (!whole) waiting = setTimeout(begin, 100); // not in the page yet
    else name();
  }

  function name() {
    seen.disconnect();
    const words = JSON.parse(model.get("value") || "{}");
    for (const slider of whole.querySelectorAll(".widget-slider")) nameOne(slider, words);
    seen.observe(whole, { subtree: true, childList: true, characterData: true, attributeFilter: ["aria-valuetext"] });
  }

  function nameOne(slider, words) {
    const shown = slider.querySelector(".widget-label");
    const label = shown?.textContent.trim() ?? "";
    const told = shown?.title ?? "";
    const readout = slider.querySelector(".widget-readout");
    const handles = [...slider.querySelectorAll("[role=slider]")];
    handles.forEach((handle, n) => {
      handle.setAttribute("aria-label", label + (handles.length > 1 ? ENDS[n] : ""));
      if (told) handle.setAttribute("aria-description", told);
      const said = words[label]?.[n] ?? readout?.textContent;
      if (said) handle.setAttribute("aria-valuetext", said);
    });
    if (readout?.isContentEditable) {
      readout.setAttribute("role", "textbox");
      readout.setAttribute("aria-label", `${label}, to be typed`);
    }
  }

  el.hidden = true;
  model.on("change:value", () => whole && name());
  begin();
  return () => {
    clearTimeout(waiting);
    seen.disconnect();
  };
}

export default { render };
