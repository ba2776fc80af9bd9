// The keys of the page.

export function keys({ help, onFocus, onStep, onBack }) {
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
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

function writing(target) {
  return target.matches?.("input, select, textarea, [contenteditable]") ?? false;
}
