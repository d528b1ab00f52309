// Live numbers: the page's own address answers with values alone; they change in place. Rows that came or went
// are fetched when nobody works in the page; until then a button offers them.
const INTERVAL_MS = 2000;
const FAILED_MS = 5000;
const policy = window.trustedTypes
  ? trustedTypes.createPolicy("penstock", { createHTML: (text) => text }) // HTML of our own server, escaped there
  : { createHTML: (text) => text };
let shape = null;

export function keepLive() {
  shape = document.getElementById("main").dataset.shape; // what came since the page was made counts, too
  if (document.querySelector("[data-live], [data-live-path]")) setTimeout(tick, INTERVAL_MS);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) tick(); });
}

let waiting = 0;
async function tick() {
  clearTimeout(waiting);
  if (document.hidden) return;
  let pause = INTERVAL_MS;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "application/json" }, redirect: "error" });
    if (!answer.ok) throw new Error(answer.status);
    const facts = await answer.json();
    if (facts.version !== document.body.dataset.version) location.reload();
    show(facts);
    say(new Date().toLocaleTimeString("en-GB") + ", every 2 s", false);
  } catch {
    pause = FAILED_MS;
    say("not current: no answer", true);
  }
  waiting = setTimeout(tick, pause);
}

function show(facts) {
  for (const element of document.querySelectorAll("[data-live]")) {
    const text = facts.live[element.dataset.live];
    if (text !== undefined && element.textContent !== text) element.textContent = text;
  }
  for (const element of document.querySelectorAll("[data-live-path]")) {
    const path = facts.live[element.dataset.livePath];
    if (path !== undefined) element.setAttribute("d", path);
  }
  for (const element of document.querySelectorAll("[data-live-width]")) {
    const width = facts.live[element.dataset.liveWidth];
    if (width !== undefined) element.setAttribute("width", width);
  }
  if (shape !== facts.shape && !isWorking()) renew(facts.shape);
}

function isWorking() {
  const main = document.getElementById("main");
  const focused = main.contains(document.activeElement) && document.activeElement !== main;
  return focused || main.matches(":has(tr:hover, form:hover, details[open])");
}

async function renew(next) {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(policy.createHTML(await answer.text()), "text/html");
  const main = page.getElementById("main");
  if (main && !isWorking()) {
    document.getElementById("main").replaceChildren(...main.childNodes);
    shape = next;
  }
}

function say(text, stale) {
  const pulse = document.getElementById("pulse");
  if (!pulse) return;
  pulse.textContent = text;
  pulse.classList.toggle("stale", stale);
}
