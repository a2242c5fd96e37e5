// Draws blocks that stand in the page's data (normscope/report/writers/data.py).
// Every text goes onto the page as text, never as markup.

const unseen = new RegExp(data.unseen, "gu");
const visible = (text) => text.replace(unseen, (sign) => `\\u{${sign.codePointAt(0).toString(16)}}`);

const element = (name, look, ...children) => {
  const node = document.createElement(name);
  if (look) node.className = look;
  node.append(...children.filter((child) => child !== null));
  return node;
};
const button = (text, action, look = "plain") => {
  const node = element("button", look, text);
  node.type = "button";
  node.addEventListener("click", action);
  return node;
};

// what others wrote may run from right to left, which must not reorder what stands around it
const written = (number) => element("bdi", "", visible(data.texts[number]));
const inline = (text) => {
  if (typeof text === "number") return written(text);
  const [kind, ...parts] = text;
  if (kind === "code") return element("code", "", visible(data.texts[parts[0]]));
  if (kind === "link") {
    const link = element("a", "", written(parts[0]));
    link.href = parts[1];
    return link;
  }
  const span = element("span");
  span.append(...parts.map(inline));
  return span;
};
const empty = (text) => typeof text === "number" && data.texts[text] === "";
const small = (text) => (empty(text) ? null : element("small", "", inline(text)));

const sample = (summary, texts) => {
  const folded = element("details", "row", element("summary", "", inline(summary)));
  for (const [label, ...pieces] of texts) {
    const text = pieces.map((piece) => data.texts[piece]).join("");
    const quote = element("div", "quote", small(label), visible(text));
    quote.dir = "auto";
    quote.tabIndex = 0;
    folded.append(quote);
    if (navigator.clipboard) {
      folded.append(button(words.copy, () => navigator.clipboard.writeText(text), "plain copy"));
    }
  }
  // a switch of the page shows the texts of every answer until it is turned off
  folded.open = showing();
  return folded;
};

const bar = (share) => {
  const drawing = element("div", "track", element("div", "bar"));
  drawing.firstChild.style.width = `${100 * share}%`;
  drawing.setAttribute("aria-hidden", "true");
  return drawing;
};
// what many blocks have in common stands once, under a negative number
const part = (value) => (typeof value === "number" && value < 0 ? data.parts[-1 - value] : value);
const inside = (value) => {
  if (typeof value === "number") return [inline(value)];
  switch (value[0]) {
    case "bar": return [bar(value[1])];
    case "sample": return [sample(value[1], value[2])];
    case "cell": return [inline(value[1]), small(value[2])].filter(Boolean);
    default: return [inline(value)];
  }
};
const tones = { strong: "value" };
const table = (title, note, look, shared, rows) => {
  const columns = part(shared);
  const drawn = element("table", look);
  if (!empty(title)) drawn.append(element("caption", "", inline(title), small(note)));
  const kinds = columns.map(([, kind]) => ({ number: "num", drawing: "drawn" })[kind] || "");
  if (columns.some(([name]) => !empty(name))) {
    const head = element("tr");
    columns.forEach(([name], at) => {
      const cell = element("th", kinds[at], inline(name));
      cell.scope = "col";
      head.append(cell);
    });
    drawn.append(element("thead", "", head));
  }
  const body = element("tbody");
  for (const row of rows) {
    const line = element("tr");
    row.map(part).forEach((value, at) => {
      const tone = Array.isArray(value) && value[0] === "cell" ? value[3] : "";
      const look = [kinds[at], tones[tone] || tone].filter(Boolean).join(" ");
      const cell = element(at ? "td" : "th", look, ...inside(value));
      if (!at) cell.scope = "row";
      line.append(cell);
    });
    body.append(line);
  }
  drawn.append(body);
  const box = element("div", "scroll", drawn);
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  const named = empty(title) ? columns.map(([name]) => name).find((name) => !empty(name)) : title;
  box.setAttribute("aria-label", named === undefined ? "" : inline(named).textContent);
  return box;
};

const block = ([kind, ...fields], level) => {
  switch (kind) {
    case "Section": {
      const [title, note, within] = fields;
      return element("section", "", element(`h${level}`, "", inline(title), small(note)),
        ...blocks(within, level + 1));
    }
    case "Details": {
      const [summary, note, open, within] = fields;
      const folded = element("details", "", element("summary", "", inline(summary), small(note)),
        ...blocks(within, level));
      folded.open = open;
      return folded;
    }
    case "Beside":
      return element("div", "figures",
        ...fields[0].map((each) => element("div", "", block(each, level))));
    case "Paragraph": return element("p", fields[1] ? "note" : "", inline(fields[0]));
    case "Bullets":
      return element("ul", "", ...fields[0].map((item) => element("li", "", inline(item))));
    case "Facts": {
      const list = element("dl", "facts");
      for (const [name, value] of fields[0].map(part)) {
        list.append(element("div", "", element("dt", "", inline(name)),
          element("dd", "", inline(value))));
      }
      return list;
    }
    case "Caveat": {
      const [about, text, warns] = fields;
      return element("p", warns ? "banner" : "limit",
        empty(about) ? null : element("strong", "", inline(about)), inline(text));
    }
    case "Listing": {
      const listing = element("pre", "", element("code", "", visible(data.texts[fields[0]])));
      listing.tabIndex = 0;
      return listing;
    }
    case "Sample": return sample(...fields);
    case "Table": return table(...fields);
    default: throw new Error(`no block ${kind}`);
  }
};
const blocks = (all, level) => all.map((each) => block(each, level));
