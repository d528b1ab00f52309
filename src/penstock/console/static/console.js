// The console in the browser: every page works without it; it adds live numbers, keys, copying and the theme.
import { keepLive } from "./live.js";
import { watchKeys } from "./keys.js";

const byId = (id) => document.getElementById(id);

function switchTheme() {
  const root = document.documentElement;
  const now = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
  document.cookie = `penstock_theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=lax`;
}

async function copy(text, button) {
  await navigator.clipboard.writeText(text);
  if (!button) return;
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = before; }, 1200);
}

byId("theme")?.addEventListener("click", switchTheme);
byId("copy-link")?.addEventListener("click", (event) => copy(location.href, event.currentTarget));
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copy(byId(button.dataset.copy).textContent, button);
});
document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.matches("form.filter select, form.filter input[type=checkbox]")) field.form.requestSubmit();
  if (field.matches("input[data-all]")) {
    for (const box of field.form.querySelectorAll("input[name=" + field.dataset.all + "]")) box.checked = field.checked;
  }
});

document.querySelector(".side a[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }); // on a phone
keepLive();
watchKeys({
  link: () => copy(location.href, byId("copy-link")),
  command: () => byId("command") && copy(byId("command").textContent, document.querySelector("[data-copy=command]")),
});
