// The list of answers and the open one. `element` holds them, `trigger` asks the server, `watch` tells of a result.
const root = () => element.querySelector(".answers");
const links = () => [...element.querySelectorAll('.list a[href^="#item-"]')];
const keyOf = (link) => link.getAttribute("href").slice("#item-".length);
const here = () => {
  const { run = "[]", filter = "", item = "", page = "1" } = root()?.dataset ?? {};
  return { run: JSON.parse(run), filter, item, page: Number(page) || 1 };
};
let restoring = false, last = "";

// what is next to be seen: an item, a page, another filter
const go = (patch) => trigger("turn", { ...here(), ...patch });
const back = () => go({ item: "" });

// what is open stays as it is from one result to the next, and for as long as the window is there
const kept = (name, usual) => {
  try { return JSON.parse(sessionStorage.getItem(`normscope.answers.${name}`)) ?? usual; } catch { return usual; }
};
const keep = (name, value) => {
  try { sessionStorage.setItem(`normscope.answers.${name}`, value); } catch { /* until the next result */ }
};
const show = (texts) => {
  keep("texts", texts);
  element.querySelectorAll("[data-texts]").forEach((box) => { box.checked = texts; });
  element.querySelectorAll("details.row").forEach((sample) => { sample.open = texts; });
};
const unfold = () => {
  if (kept("texts", false)) show(true);
  for (const name of ["summed", "keys"]) {
    const part = element.querySelector(`details.${name}`);
    if (part) part.open = kept(name, part.open);
  }
};

const address = () => {
  const one = (value) => [value ?? ""].flat()[0];
  const { run, filter, item, page } = window.normscope.state();
  return { run: [run || []].flat(), filter: one(filter), item: one(item), page: Number(one(page)) || 1 };
};
const restore = (place) => { restoring = true; trigger("restore", { ...address(), ...place }); };

element.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#item-"]');
  const button = event.target.closest("button");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    go({ item: keyOf(link) });
  } else if (button?.dataset.page) go({ page: Number(button.dataset.page) });
  else if (button && "list" in button.dataset) back();
  else if (button && "clear" in button.dataset) trigger("restore", { ...here(), filter: "", item: "", page: 1 });
});
element.addEventListener("change", (event) => {
  if ("texts" in event.target.dataset) show(event.target.checked);
});
element.addEventListener("toggle", ({ target }) => {
  for (const name of ["summed", "keys"]) if (target.classList.contains(name)) keep(name, target.open);
}, true);
element.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("pre, .scroll") && event.key.startsWith("Arrow")) return;
  const forward = { j: 1, ArrowDown: 1, ArrowRight: 1, k: -1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  const open = here().item !== "";
  if (event.key === "Escape" && open) back();
  else if (event.key === "?") element.querySelector(".keys summary")?.click();
  else if (event.key === "t") show(!kept("texts", false));
  else if (forward && open && !/^Arrow(Up|Down)$/.test(event.key)) {
    element.querySelector(forward > 0 ? 'a[rel="next"]' : 'a[rel="prev"]')?.click();
  } else if (forward && !open && !/^Arrow(Left|Right)$/.test(event.key)) {
    const rows = links(), at = rows.indexOf(document.activeElement);
    (rows[at + forward] ?? rows[forward > 0 ? rows.length - 1 : 0])?.focus();
  } else return;
  event.preventDefault();
});

// after a result: the address says what is seen, and the focus stands where one goes on
watch("value", () => {
  const now = here(), seen = JSON.stringify(now);
  unfold();
  if (!root() || seen === last) return;
  const before = last ? JSON.parse(last) : now;
  const typing = document.activeElement?.matches?.("input, textarea");
  last = seen;
  // an empty list would stand in the address as an empty name
  const run = now.run.length ? now.run : "";
  // another tab may be open when the first rows come
  const tab = element.checkVisibility() ? { tab: "answers" } : {};
  window.normscope.state({ ...tab, ...now, run, page: now.page > 1 ? now.page : "" }, { push: !restoring });
  restoring = false;
  if (typing) return;
  if (now.item) element.querySelector(".place")?.focus();
  else if (before.item) links().find((link) => keyOf(link) === before.item)?.focus();
  else if (now.page !== before.page) links()[0]?.focus();
  if (now.item || now.page !== before.page) element.scrollIntoView({ block: "start" });
});
window.addEventListener("normscope:state", () => {
  const seen = here(), now = address();
  // an address without runs is that of all
  if (!now.run.length) now.run = seen.run;
  if (JSON.stringify(now) !== JSON.stringify(seen)) restore();
});
// a row's link that was opened in a window of its own
const row = /^#item-([\w-]+)$/.exec(location.hash);
restore(row ? { item: row[1] } : {});
