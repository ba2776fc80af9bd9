// The keys of the page.

export function keys({ help, onFocus, onStep, onBack }) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      if (event.ctrlKey || event.metaKey || event.shiftKey || hasOwnArrows(event.target)) return;
      event.preventDefault();
      onStep(event.key === "ArrowUp" ? -1 : 1);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      onBack();
    } else if (!writing(event.target)) {
      if (event.key === "/") {
        event.preventDefault();
        onFocus();
      } else if (event.key === "?") {
        event.preventDefault();
        help.showModal();
      }
    } else if (event.key === "?" && event.target.id === "question" && !event.target.value) {
      event.preventDefault();
      help.showModal();
    }
  });
}

/** Whether a key was pressed with a modifier, and so is the browser's or the system's. */
export function isModified(event) {
  return event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
}

/** A list opens by Alt and an arrow, a text field moves its cursor on some systems, a menu walks. */
function hasOwnArrows(target) {
  return (writing(target) && target.id !== "question") || target.closest?.("[role=menu]");
}

function writing(target) {
  return target.matches?.("input, select, textarea, [contenteditable]") ?? false;
}
