// The page: the filter's line and its controls, one page of rows, one answer opened. What it shows
// stands in the address, so that a link leads there again and Back goes back.

const ROWS = 25;
const EXCERPT = 160;
const $ = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString(data.language);

// --- what the address says
const read = () => {
  const hash = decodeURI(location.hash.slice(1));
  const linked = /^item-([\w-]+)$/.exec(hash);
  if (linked) return { item: linked[1], filter: "", page: 1 };
  const values = new URLSearchParams(location.hash.slice(1));
  const page = Number.parseInt(values.get("page"), 10);
  return { item: values.get("item") || "", filter: values.get("filter") || "", page: page > 0 ? page : 1 };
};
const address = ({ item, filter, page }) => {
  const values = new URLSearchParams();
  if (item) values.set("item", item);
  if (filter) values.set("filter", filter);
  if (page > 1) values.set("page", page);
  return `#${values}`;
};
let state = read();
const go = (patch, { typing = false } = {}) => {
  const next = { ...state, ...patch };
  const to = address(next);
  if (to !== address(read())) {
    if (typing) location.replace(to);
    else location.hash = to;
  }
  // at once: a key that comes before the browser's event is about what is seen then
  draw(next);
};

// --- texts are hidden until somebody asks for them
let shows = false;
const showing = () => shows;

// --- the answers that a query selects: normscope/viewer/terms.py says what each term means
const folded = (text) => new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu");
const everywhere = data.keys.map((_, place) => place);
const known = (values, name, slots) => {
  if (Object.hasOwn(values, name)) return values[name];
  return refuse(words.unknown, { ...slots, value: name, known: Object.keys(values).slice(0, 20).join(", ") });
};
const compare = {
  "<": (value, limit) => value < limit, "<=": (value, limit) => value <= limit,
  ">": (value, limit) => value > limit, ">=": (value, limit) => value >= limit,
};
const placesOf = ({ name, operator, values }, term) => {
  if (!name) {
    const wanted = folded(values[0]);
    const hit = data.texts.map(() => null);
    const has = (text) => (hit[text] ??= wanted.test(data.texts[text]));
    return everywhere.filter((place) => data.searched[place].some(has));
  }
  if (operator in compare) {
    const numbers = known(data.numbers, name, { term });
    const limit = Number(values[0]);
    // of two runs either may meet it; what has no number meets nothing
    return everywhere.filter((place) =>
      numbers.some((side) => side[place] !== null && compare[operator](side[place], limit)));
  }
  const places = known(data.terms, name + operator, { term });
  return values.flatMap((value) => known(places, value, { term }));
};
const select = ({ terms, sort }) => {
  let left = everywhere;
  for (const term of terms) {
    const places = new Set(placesOf(term, termText(term)));
    left = left.filter((place) => places.has(place) !== term.negated);
  }
  if (!sort) return left;
  const [numbers] = known(data.numbers, sort.by, { term: `sort:${sort.by}` });
  const way = sort.descending ? -1 : 1;
  return [...left].sort((a, b) => {
    const [x, y] = [numbers[a], numbers[b]];
    if (x === null || y === null) return (x === null) - (y === null) || a - b;
    return way * (x - y) || a - b;
  });
};
let last = { filter: null };
const selection = (filter) => {
  if (last.filter !== filter) {
    const query = parse(filter);
    last = { filter, query, places: select(query) };
  }
  return last;
};

// --- one page of rows
const beginning = (number) => {
  const text = data.texts[number].replace(/\s+/g, " ").trim();
  return visible(text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text);
};
const veiled = (number) => {
  if (number === null) return "–";
  const quote = element("div", "quote", beginning(number));
  quote.dir = "auto";
  if (shows) return quote;
  quote.tabIndex = 0;
  return element("details", "row", element("summary", "", words.read), quote);
};
const shown = (number) => (number === null ? "–" : inline(number));
const outcome = (place, at) => {
  const of_runs = data.outcomes.map((of_run) => of_run[at][place]);
  if (of_runs.every((number) => number === null)) return "–";
  if (of_runs.length === 1) return shown(of_runs[0]);
  const changed = data.terms["changed:"][data.criteria[at].name] || [];
  return element("span", changed.includes(place) ? "value" : "", shown(of_runs[0]), " → ", shown(of_runs[1]));
};
const two = data.runs.length > 1;
// beside an answer its siblings stand without texts: they have the same question
const cells = (place, { withTexts }) => [
  ...(withTexts ? [veiled(data.questions[place]), ...data.responses[place].map(veiled)] : []),
  ...data.criteria.map((_, at) => outcome(place, at)),
  ...(two ? [data.texts[data.moved[place]]] : []),
];
const titles = ({ withTexts }) => [
  words.item,
  ...(withTexts ? [words.question] : []),
  ...data.runs.filter(() => withTexts).map((name) =>
    (two ? `${words.response} · ${visible(name)}` : words.response)),
  ...data.criteria.map(({ title }) => data.texts[title]),
  ...(two ? [words.moved] : []),
];
const list = (places, label, how = { withTexts: true }) => {
  const names = titles(how);
  const head = element("tr");
  for (const name of names) {
    const cell = element("th", "", name);
    cell.scope = "col";
    head.append(cell);
  }
  const rows = places.map((place) => {
    const link = element("a", "", written(data.names[place]));
    link.href = `#item-${data.keys[place]}`;
    const first = element("th", "", link, small(data.notes[place]));
    first.scope = "row";
    const others = cells(place, how).map((value, at) => {
      const cell = element("td", value === "–" ? "none" : "", value);
      cell.dataset.column = names[at + 1];
      return cell;
    });
    return element("tr", "", first, ...others);
  });
  const table = element("table", "rows", element("thead", "", head), element("tbody", "", ...rows));
  const box = element("div", "scroll", table);
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  return box;
};
const drawList = () => {
  const { places } = selection(state.filter);
  const pages = Math.max(1, Math.ceil(places.length / ROWS));
  const page = Math.min(state.page, pages);
  const from = (page - 1) * ROWS;
  const on_page = places.slice(from, from + ROWS);
  $("status").textContent = places.length
    ? filled(words.shown, { from_place: number(from + 1), to_place: number(from + on_page.length), n: number(places.length), all: number(data.keys.length) })
    : words.nothing;
  $("summary").replaceChildren(...(places.length ? [summary(places)] : []));
  $("list").replaceChildren(...(places.length ? [list(on_page, words.answers)] : []));
  const step = (text, to) => {
    const control = button(text, () => { go({ page: to }); $("answers").focus(); });
    control.disabled = to < 1 || to > pages || to === page;
    return control;
  };
  $("pages").replaceChildren(...(pages > 1
    ? [step(words.first, 1), step(words.previous, page - 1), step(words.next, page + 1), step(words.last, pages)]
    : []));
};
// counts only: what a subset is chosen by decides whether an interval means anything
const summary = (places) => {
  const rows = data.criteria.flatMap(({ name, title, amount }, at) => data.runs.map((run, side) => {
    const counts = new Map();
    for (const place of places) {
      const number = data.outcomes[side][at][place];
      if (number === null) continue;
      const valued = amount && data.numbers[name][side][place] !== null;
      const text = valued ? words.valued : visible(data.texts[number]);
      counts.set(text, (counts.get(text) || 0) + 1);
    }
    const ordered = [...counts].sort((a, b) => b[1] - a[1]);
    const head = element("th", "", inline(title), two ? element("small", "", visible(run)) : null);
    head.scope = "row";
    return element("tr", "", head,
      element("td", "", ordered.map(([text, n]) => `${text} ${number(n)}`).join(" · ") || "–"));
  }));
  return element("details", "", element("summary", "", words.summary),
    element("div", "scroll", element("table", "", element("tbody", "", ...rows))));
};

// --- one answer
const drawAnswer = (place) => {
  const { places } = selection(state.filter);
  const at = places.indexOf(place);
  const to = (step) => {
    const control = button(step < 0 ? words.previous : words.next, () => open(at + step));
    control.disabled = at < 0 || at + step < 0 || at + step >= places.length;
    return control;
  };
  const where = at < 0 ? words.outside : filled(words.position, { at: number(at + 1), n: number(places.length) });
  $("answer").replaceChildren(
    element("div", "steps", button(words.back, back), to(-1), to(1), element("span", "note", where)),
    element("h2", "", written(data.names[place]), small(data.notes[place])),
    ...blocks(data.answers[place], 3),
  );
  const siblings = everywhere.filter((other) => other !== place && data.items[other] === data.items[place]);
  if (siblings.length) {
    $("answer").append(element("h3", "", words.siblings), list(siblings, words.siblings, { withTexts: false }));
  }
};
const open = (at) => {
  const { places } = selection(state.filter);
  if (at >= 0 && at < places.length) go({ item: data.keys[places[at]] });
};
const back = () => {
  const { places } = selection(state.filter);
  const at = places.findIndex((place) => data.keys[place] === state.item);
  go({ item: "", page: at < 0 ? state.page : 1 + Math.floor(at / ROWS) });
};

// --- the whole
const draw = (next) => {
  const before = state.item;
  state = next;
  const field = $("query");
  if (document.activeElement !== field) field.value = state.filter;
  let problem = "";
  try {
    selection(state.filter);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    problem = error.message;
  }
  $("error").textContent = problem;
  $("error").hidden = !problem;
  field.setAttribute("aria-invalid", String(Boolean(problem)));
  const place = data.keys.indexOf(state.item);
  $("clear").disabled = !state.filter;
  if (problem) return;
  drawControls();
  const one = place >= 0;
  $("answer").hidden = !one;
  $("answers").hidden = one;
  if (one) {
    drawAnswer(place);
    if (before !== state.item) { $("answer").focus(); $("answer").scrollIntoView(); }
  } else {
    drawList();
    if (before) ($("list").querySelector(`a[href="#item-${before}"]`) || $("answers")).focus();
  }
};

// --- the controls write the filter's line
const choice = (title, options, chosen, put) => {
  const control = element("select");
  control.dataset.title = title;
  control.append(new Option(words.any, ""), ...options.map(([value, text]) => new Option(text, value)));
  // several values of one term have no place in a list that offers one
  control.value = chosen.length === 1 ? chosen[0] : "";
  control.addEventListener("change", () => {
    const query = put(selection(state.filter).query, control.value ? [control.value] : []);
    go({ filter: queryText(query), page: 1, item: "" });
  });
  const label = element("label", "", title);
  return element("div", "", label, control);
};
const drawControls = () => {
  const { query } = selection(state.filter);
  const held = document.activeElement?.dataset?.title;
  const controls = data.controls.map(({ name, operator, title, values }) => choice(
    data.texts[title], values.map(([value, text, n]) => [value, `${visible(data.texts[text])} (${number(n)})`]),
    valuesOf(query, name, operator), (before, chosen) => put(before, name, operator, chosen),
  ));
  const orders = Object.keys(data.numbers).flatMap((name) =>
    [[`-${name}`, filled(words.descending, { name: nameOf(name) })], [name, filled(words.ascending, { name: nameOf(name) })]]);
  const sort = query.sort ? [`${query.sort.descending ? "-" : ""}${query.sort.by}`] : [];
  controls.push(choice(words.sort, orders, sort, (before, [value]) => ({
    ...before, sort: value ? { by: value.replace(/^-/, ""), descending: value.startsWith("-") } : null,
  })));
  controls.forEach((control, at) => {
    control.lastChild.id = `control-${at}`;
    control.firstChild.htmlFor = `control-${at}`;
  });
  $("controls").replaceChildren(...controls);
  // who chooses by keyboard goes on from the list that was changed
  if (held) controls.find((control) => control.lastChild.dataset.title === held)?.lastChild.focus();
};
const nameOf = (name) => {
  const criterion = data.criteria.find((each) => each.name === name);
  return criterion ? data.texts[criterion.title] : words[name];
};

$("query").addEventListener("input", () => go({ filter: $("query").value.trim(), page: 1, item: "" }, { typing: true }));
$("filter").addEventListener("submit", (event) => event.preventDefault());
$("clear").addEventListener("click", () => { $("query").value = ""; go({ filter: "", page: 1 }); $("query").focus(); });
$("show").addEventListener("change", () => {
  shows = $("show").checked;
  document.body.classList.toggle("texts", shows);
  draw(state);
});
document.addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href^="#item-"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go({ item: link.getAttribute("href").slice("#item-".length) });
});
// single keys count within the answers only, where nobody types
const keys = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, input, textarea")) return;
  const act = (event.currentTarget.id === "answer" ? inAnswer : inList)[event.key];
  if (act && act() !== false) event.preventDefault();
};
const move = (step) => () => {
  const links = [...$("list").querySelectorAll("tbody th a")];
  const at = links.findIndex((link) => link.closest("tr").contains(document.activeElement));
  links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
};
const turn = (step) => () => {
  open(selection(state.filter).places.findIndex((place) => data.keys[place] === state.item) + step);
};
const help = () => $("keys").showModal();
const search = () => $("query").focus();
const veil = () => $("show").click();
const inList = { j: move(1), ArrowDown: move(1), k: move(-1), ArrowUp: move(-1), t: veil, "/": search, "?": help };
const inAnswer = {
  j: turn(1), ArrowRight: turn(1), k: turn(-1), ArrowLeft: turn(-1), Escape: back, t: veil, "/": search, "?": help,
};
$("answers").addEventListener("keydown", keys);
$("answer").addEventListener("keydown", keys);
addEventListener("hashchange", () => {
  if (address(read()) !== address(state)) draw(read());
});
draw(state);
