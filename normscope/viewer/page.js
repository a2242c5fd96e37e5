// The list of answers: what the search box and the filters leave, 25 at a time; #item-KEY opens one.

(async () => {
  const ROWS = 25, MOST_CHOICES = 60;
  const $ = (id) => document.getElementById(id);
  const packed = Uint8Array.from(atob($("data").textContent), (sign) => sign.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { runs, amounts, names, texts, unseen, rows } = await new Response(unpacked).json();
  const language = document.documentElement.lang;

  // Words and numbers
  const UNSEEN = new RegExp(unseen, "gu");
  const visible = (text) => text.replace(UNSEEN, (sign) => `\\u{${sign.codePointAt(0).toString(16)}}`);
  const own = (of, name) => (Object.hasOwn(of, name) ? of[name] : undefined);
  const name = (slug) => own(names, slug) ?? slug.replaceAll("_", " ");
  const labelName = (criterion, label) => name(own(names, `${criterion} ${label}`) ?? label);
  const filled = (text, slots) => text.replace(/\{(\w+)\}/g, (_, slot) => slots[slot].toLocaleString(language));
  const number = (value) => {
    if (value === null || value === undefined) return "–";
    if (value === 0) return "0";
    const digits = (of) => Math.min(100, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(of)))));
    const rounded = Number(value.toFixed(digits(value)));
    return value.toFixed(rounded ? digits(rounded) : digits(value)).replace("-", "−");
  };
  const percent = (rate) => `${number(rate * 100)} %`;

  // What an answer comes to
  const counted = (row, criterion) =>
    row.judgements.map((of) => of.find((each) => each.criterion === criterion && each.counts));
  const outcome = (judged, amount) => {
    if (!judged) return "–";
    if (amount && judged.value !== undefined) return number(judged.value);
    return name(judged.label ?? judged.reason ?? "no reason recorded");
  };
  const criteria = Object.entries(amounts);
  const outcomes = (row) =>
    criteria
      .map(([criterion, amount]) => ({ criterion, amount, judged: counted(row, criterion) }))
      .filter(({ judged }) => judged.some(Boolean))
      .map((each) => ({ ...each, shown: each.judged.map((judged) => outcome(judged, each.amount)) }));
  const FLOW = ["sender", "attribute", "recipient", "transmission_principle"];
  const lastOf = (turns) => turns?.at(-1)?.content;
  const question = (row) => {
    const facets = row.facets ?? {};
    if (own(facets, "vignette")) return facets.vignette;
    if (FLOW.every((factor) => own(facets, factor))) {
      const flow = filled(texts.flow, facets);
      return flow[0].toUpperCase() + flow.slice(1);
    }
    return lastOf(row.asked[0]) ?? (Object.values(facets).join(" · ") || row.item_id);
  };
  // where it stands, as far as that tells it from others
  const differs = (column) => rows.some((row) => row[column] !== rows[0][column]);
  const PLACE = ["benchmark", "category", "variant_id", "scale_order", "sample", "temperature"].filter(differs);
  const placed = {
    category: name, variant_id: (id) => `${texts.variant_id} ${id}`, scale_order: (order) => `${texts.scale_order} ${order}`,
    sample: (n) => filled(texts.sample, { n }), temperature: (t) => `T = ${t}`,
  };
  const place = (row) => PLACE.filter((column) => row[column]).map((column) => placed[column]?.(row[column]) ?? row[column]).join(" · ");
  const textOf = (row) => (row.text ??= [
    row.item_id, question(row), ...Object.values(row.facets ?? {}),
    ...row.asked.flatMap((turns) => (turns ?? []).map((turn) => turn.content)),
    ...row.responses.map((response) => response.text ?? ""),
  ].join("\n").toLowerCase());

  // Filters: what all answers have is no choice, and neither is what nearly each has alone
  const fieldsOf = (row) => (row.fields ??= new Map([
    [texts.flags, row.flags.map((flag) => texts[flag])],
    ...outcomes(row).filter((each) => !each.amount).map((each) => [name(each.criterion), [...new Set(each.shown)]]),
    ...Object.entries(row.facets ?? {}).map(([factor, level]) => [name(factor), [level]]),
    ...["benchmark", "area", "category", "language"].map((column) => [name(column), row[column] ? [name(row[column])] : []]),
    [texts.variant_id, row.variant_id ? [row.variant_id] : []],
    [texts.scale_order, row.scale_order ? [row.scale_order] : []],
    [texts.why, row.why ? [name(row.why)] : []],
  ]));
  const numbersOf = (row) => (row.numbers ??= new Map([
    ...row.score.map((score, at) => [at ? `${name("score")} · ${runs[at]}` : name("score"), score]),
    ...outcomes(row).filter((each) => each.amount).flatMap((each) => each.judged.map((judged, at) =>
      [at ? `${name(each.criterion)} · ${runs[at]}` : name(each.criterion), judged?.value])),
  ]));
  const tally = (of, from = rows) => {
    const counts = new Map();
    for (const row of from) for (const one of of(row)) counts.set(one, (counts.get(one) ?? 0) + 1);
    return counts;
  };

  const element = (tag, of = {}, ...content) => {
    const made = Object.assign(document.createElement(tag), of);
    made.append(...content.filter((each) => each || each === 0).map((each) => (each instanceof Node ? each : visible(String(each)))));
    return made;
  };
  const choices = new Map();
  for (const title of tally((row) => fieldsOf(row).keys()).keys()) {
    const values = tally((row) => fieldsOf(row).get(title) ?? []);
    if (values.size > MOST_CHOICES || [...values.values()].every((n) => n === rows.length)) continue;
    const select = element("select", { name: title }, element("option", { value: "" }, "–"));
    for (const [value, n] of values) select.append(element("option", { value }, `${value} (${n.toLocaleString(language)})`));
    $("filters").append(element("label", {}, `${title} `, select));
    choices.set(title, select);
  }
  for (const title of tally((row) => numbersOf(row).keys()).keys()) {
    for (const sign of ["↑", "↓"]) $("order").append(element("option", { value: sign + title }, `${title} ${sign}`));
  }
  $("filters").open = innerWidth > 760;

  // One answer: closed it says what was asked and what came of it, opened everything that is known
  const fact = (title, value) => element("div", {}, element("dt", {}, title), element("dd", {}, value instanceof Node ? value : element("bdi", {}, value)));
  const facts = (...all) => element("dl", { className: "facts" }, ...all.filter(Boolean));
  const quoted = (text, who = "") => {
    const quote = element("div", { className: "quote", dir: "auto", tabIndex: 0 }, who && element("small", {}, who), text);
    return quote;
  };
  const conversation = (turns) =>
    turns?.length ? turns.map((turn) => quoted(turn.content, name(turn.role))) : [element("p", { className: "note" }, texts.unknown_words)];
  const judgement = (j) => element("section", {},
    element("h4", {}, name(j.criterion), element("small", {}, name(j.source), j.counts ? "" : ` · ${texts.not_counted}`)),
    facts(
      j.value === undefined ? fact(texts.no_value, name(j.reason ?? "no reason recorded")) : fact(texts.value, number(j.value)),
      j.label !== undefined && fact(texts.label, name(j.label)),
      j.coverage !== undefined && fact(texts.coverage, percent(j.coverage)),
      j.windows > 1 && fact(texts.windows, j.windows),
      j.judge && fact(texts.judge, j.judge),
      j.raw_top?.length && fact(texts.tokens, j.raw_top.map((t) => `${t.token.replaceAll(" ", "␣").replaceAll("\n", "⏎")} ${percent(t.prob)}`).join(" · ")),
    ),
    j.probs && element("table", { className: "shares" },
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, texts.label), element("th", { scope: "col", className: "num" }, texts.probability))),
      element("tbody", {}, ...j.labels.map((label, at) => element("tr", {},
        element("th", { scope: "row", className: label === j.favourite ? "value" : "" }, labelName(j.criterion, label)),
        element("td", { className: "num" }, percent(j.probs[at])))))),
    j.reply && element("details", {}, element("summary", {}, texts.wrote), quoted(j.reply)),
  );
  const response = ({ text, labels, reason }) =>
    text ? quoted(text) : element("p", { className: "note" },
      labels ? texts.probabilities : filled(texts.no_response, { reason: name(reason ?? "no reason recorded") }));
  const opened = (row) => {
    const { facets = {}, source_category, answer } = row;
    const alike = row.asked.length === 1 || JSON.stringify(row.asked[0]) === JSON.stringify(row.asked[1]);
    const told = row.asked[0]?.length === 1 && lastOf(row.asked[0]) === question(row);
    return [
      ...(alike && !told ? [element("h3", {}, texts.conversation), ...conversation(row.asked[0])] : []),
      element("div", { className: "figures" }, ...row.responses.map((each, at) => element("section", {},
        element("h3", {}, runs.length > 1 ? element("bdi", {}, runs[at]) : texts.response),
        ...(alike ? [] : conversation(row.asked[at])),
        response(each),
        ...row.judgements[at].map(judgement)))),
      facts(
        fact(texts.item, row.item_id),
        row.area && fact(name("area"), name(row.area)),
        row.language && fact(name("language"), name(row.language)),
        source_category && fact(texts.source_category, source_category),
        ...Object.entries(facets).map(([factor, level]) => fact(name(factor), level)),
        answer && fact(texts.key, answer),
        fact(texts.address, element("a", { href: `#item-${row.key}` }, `#item-${row.key}`)),
      ),
    ];
  };
  // labels in words; amounts in one line under them
  const came = (row) => {
    const line = ({ criterion, amount, shown }) => {
      const same = shown.every((each) => each === shown[0]);
      const text = same ? shown[0] : shown.join(" → ");
      return element("span", { className: same || amount ? "" : "changed" },
        (amount || labels > 1) && element("small", {}, `${name(criterion)} `), text);
    };
    const all = outcomes(row), labels = all.filter((each) => !each.amount).length;
    return [
      ...all.filter((each) => !each.amount).map((each) => element("span", { className: "outcome" }, line(each))),
      element("span", { className: "outcome amounts" }, ...all.filter((each) => each.amount).map(line)),
    ];
  };
  const drawn = (row) => {
    const summary = element("summary", {},
      element("bdi", { className: "question" }, question(row)),
      element("span", { className: "came" }, ...came(row)),
      element("small", {}, place(row)));
    const details = element("details", { className: "answer", id: `item-${row.key}` }, summary);
    details.addEventListener("toggle", () => {
      if (details.open && details.children.length === 1) details.append(...opened(row));
    });
    return details;
  };

  let left = rows;
  let page = 0;
  const change = () => {
    if (runs.length < 2) return;
    const pairs = tally((row) => outcomes(row).filter(({ amount, shown }) => !amount && shown[0] !== shown[1])
      .map(({ shown }) => shown.join("\n")), left);
    const [most, k] = [...pairs].sort((a, b) => b[1] - a[1])[0] ?? [];
    const slots = { n: left.filter((row) => row.flags.includes("changed")).length, m: left.length, k };
    const [first, second] = most?.split("\n") ?? [];
    $("change").textContent = filled(most ? texts.most : texts.change, { ...slots, first, second });
  };
  const draw = () => {
    const [from, to] = [page * ROWS, Math.min((page + 1) * ROWS, left.length)];
    $("list").replaceChildren(...left.slice(from, to).map(drawn));
    $("status").textContent = filled($("status").dataset.text, { first: left.length ? from + 1 : 0, last: to, n: left.length });
    $("previous").disabled = !from;
    $("next").disabled = to === left.length;
  };
  const choose = () => {
    const wanted = $("search").value.toLowerCase();
    left = rows.filter((row) => textOf(row).includes(wanted) &&
      [...choices].every(([title, { value }]) => !value || (fieldsOf(row).get(title) ?? []).includes(value)));
    const [sign, title] = [$("order").value[0], $("order").value.slice(1)];
    if (sign) {
      // what has no number stands last in either order
      const of = (row) => numbersOf(row).get(title) ?? Infinity * (sign === "↑" ? 1 : -1);
      left.sort((a, b) => (sign === "↑" ? of(a) - of(b) : of(b) - of(a)) || 0);
    }
    page = 0;
    change();
    draw();
  };
  const turn = (by) => {
    page += by;
    draw();
    $("answers").scrollIntoView();
  };
  const follow = () => {
    const key = location.hash.replace("#item-", "");
    let at = left.findIndex((row) => row.key === key);
    if (at < 0 && rows.some((row) => row.key === key)) {
      $("choice").reset();
      choose();
      at = left.findIndex((row) => row.key === key);
    }
    if (at < 0) return;
    page = Math.floor(at / ROWS);
    draw();
    $(`item-${key}`).open = true;
    $(`item-${key}`).scrollIntoView();
  };
  $("choice").addEventListener("input", choose);
  $("choice").addEventListener("submit", (event) => event.preventDefault());
  $("previous").addEventListener("click", () => turn(-1));
  $("next").addEventListener("click", () => turn(1));
  addEventListener("hashchange", follow);
  change();
  draw();
  follow();
})();
