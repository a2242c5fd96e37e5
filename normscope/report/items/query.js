// The filter's line of text: the grammar of normscope/viewer/query.py, which says what each term
// means. The browser tests put the same lines through both.

// what Python calls a blank, which JavaScript's \s is not quite
const BLANK = "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const NAMED = /([A-Za-z][A-Za-z0-9_]*)(<=|>=|[:=<>])/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/sy;
const BARE = new RegExp(`[^${BLANK}"]+`, "y");
const BARE_VALUE = new RegExp(`[^${BLANK}",]+`, "y");
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;
const blank = (sign) => new RegExp(`[${BLANK}]`).test(sign);
const at = (pattern, text, place) => {
  pattern.lastIndex = place;
  return pattern.exec(text);
};

class QueryError extends Error {}
const refuse = (text, slots) => {
  throw new QueryError(filled(text, slots));
};

const termFrom = (line, place) => line.slice(place).split(new RegExp(`[${BLANK}]`), 1)[0];
const valueAt = (line, place, bare, whole) => {
  const term = termFrom(line, whole);
  if (line[place] === '"') {
    const quoted = at(QUOTED, line, place);
    if (!quoted) refuse(words.open_quotes, { term });
    if ([...quoted[1]].every(blank)) refuse(words.empty_quotes, { term });
    return [quoted[1].replace(/\\(.)/gs, "$1"), QUOTED.lastIndex];
  }
  const plain = at(bare, line, place);
  if (!plain) refuse(words.no_value, { term });
  return [plain[0], bare.lastIndex];
};

const sortOf = (values, term, negated) => {
  const by = values[0].replace(/^-/, "").toLowerCase();
  if (negated || values.length > 1 || !/^[a-z][a-z0-9_]*$/.test(by)) {
    refuse(words.no_order, { term });
  }
  return { by, descending: values[0].startsWith("-") };
};
const checked = (term, written) => {
  const { name, operator, values } = term;
  if (operator === ":" && !data.grammar.fields.includes(name)) {
    refuse(words.no_field, { term: written, name, known: data.grammar.fields.join(", ") });
  }
  for (const value of name === "is" && operator === ":" ? values : []) {
    if (!data.grammar.flags.includes(value)) {
      refuse(words.no_flag, { term: written, value, known: data.grammar.flags.join(", ") });
    }
  }
  if (/[<>]/.test(operator) && !(values.length === 1 && NUMBER.test(values[0]))) {
    refuse(words.no_number, { term: written, value: values[0] });
  }
  return term;
};

const parse = (line) => {
  const terms = [];
  let sort = null;
  let place = 0;
  while (place < line.length) {
    if (blank(line[place])) { place += 1; continue; }
    const start = place;
    const negated = line[place] === "-" && place + 1 < line.length && !blank(line[place + 1]);
    if (negated) place += 1;
    const named = at(NAMED, line, place);
    const values = [];
    let value;
    if (!named) {
      [value, place] = valueAt(line, place, BARE, place);
      terms.push({ name: "", operator: "", values: [value], negated });
      continue;
    }
    place = NAMED.lastIndex;
    for (;;) {
      [value, place] = valueAt(line, place, BARE_VALUE, start);
      values.push(value);
      if (line[place] !== ",") break;
      place += 1;
    }
    if (place < line.length && !blank(line[place])) {
      refuse(words.no_blank, { term: termFrom(line, start) });
    }
    const [name, operator, written] = [named[1].toLowerCase(), named[2], line.slice(start, place)];
    if (name !== "sort" || operator !== ":") {
      terms.push(checked({ name, operator, values, negated }, written));
    } else if (sort) {
      refuse(words.two_orders, { term: written });
    } else {
      sort = sortOf(values, written, negated);
    }
  }
  return { terms, sort };
};

const whole = (pattern, text) => (at(pattern, text, 0) || [])[0] === text;
const quotes = (text) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
const wordText = (text) =>
  whole(BARE, text) && !text.startsWith("-") && !at(NAMED, text, 0) ? text : quotes(text);
const valueText = (text) => (whole(BARE_VALUE, text) ? text : quotes(text));
const termText = ({ name, operator, values, negated }) =>
  (negated ? "-" : "") + name + operator
  + (name ? values.map(valueText).join(",") : wordText(values[0]));
const queryText = ({ terms, sort }) =>
  [...terms.map(termText), ...(sort ? [`sort:${sort.descending ? "-" : ""}${sort.by}`] : [])]
    .join(" ");

const sameTerm = (name, operator) => (term) =>
  term.name === name && term.operator === operator && !term.negated;
// these values in place of those that a control has set; none: without the term
const put = (query, name, operator, values) => {
  const same = sameTerm(name, operator);
  const first = query.terms.findIndex(same);
  const kept = query.terms.filter((term) => !same(term));
  const added = values.length ? [{ name, operator, values, negated: false }] : [];
  kept.splice(first < 0 ? kept.length : first, 0, ...added);
  return { ...query, terms: kept };
};
const valuesOf = (query, name, operator) =>
  query.terms.filter(sameTerm(name, operator)).flatMap((term) => term.values);
