// Keys: g and a letter go to a page, / to the filter, j and k through rows. Never while somebody types.
const HELP = [
  ["g o", "overview"], ["g q", "queues"], ["g d", "dead letters"], ["g t", "topics"], ["g c", "channels"],
  ["g f", "flows"], ["g m", "map"], ["g h", "statistics"], ["g s", "MQSC"], ["g a", "audit"], ["/", "filter"], ["j k", "next and previous row"],
  ["Enter", "open the row"], ["[ ]", "previous and next page"], ["y", "copy the link"], ["c", "copy the command"],
  ["?", "this list"], ["Esc", "close"],
];
let chord = 0;
let row = -1;

export function watchKeys(acts) {
  document.getElementById("keys")?.addEventListener("click", help);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (pressed(event.key, acts)) event.preventDefault();
  });
}

function pressed(key, acts) {
  if (Date.now() - chord < 1500) {
    chord = 0;
    const link = document.querySelector(`.side a[data-key="${CSS.escape(key)}"]`);
    if (link) { location.href = link.href; return true; }
  }
  if (key === "g") { chord = Date.now(); return true; }
  if (key === "/") { const field = document.getElementById("filter"); field?.focus(); field?.select(); return true; }
  if (key === "j" || key === "k") { move(key === "j" ? 1 : -1); return true; }
  if (key === "[" || key === "]") {
    const link = document.querySelector(key === "[" ? "a[rel=prev]" : "a[rel=next]");
    if (link) location.href = link.href;
    return true;
  }
  if (key === "y") { acts.link(); return true; }
  if (key === "c") { acts.command(); return true; }
  if (key === "?") { help(); return true; }
  const button = document.querySelector(`[data-press="${CSS.escape(key)}"]`);
  if (button) { button.click(); return true; }
  return false;
}

function move(step) {
  const rows = [...document.querySelectorAll("main tbody tr")].filter((each) => each.querySelector("a"));
  if (!rows.length) return;
  row = Math.max(0, Math.min(rows.length - 1, row + step));
  rows[row].querySelector("a").focus();
}

function help() {
  const dialog = document.createElement("dialog");
  const title = document.createElement("h2");
  title.textContent = "Keys";
  const list = document.createElement("dl");
  list.className = "facts";
  for (const [keys, what] of HELP) {
    const term = document.createElement("dt");
    for (const each of keys.split(" ")) {
      const key = document.createElement("kbd");
      key.textContent = each;
      term.append(key, " ");
    }
    const text = document.createElement("dd");
    text.textContent = what;
    list.append(term, text);
  }
  const close = document.createElement("button");
  close.textContent = "Close";
  close.autofocus = true;
  close.addEventListener("click", () => dialog.close());
  dialog.append(title, list, close);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
