// The list of answers: what the search box and the drop-downs leave, 25 at a time; #item-KEY opens one.

(async () => {
  const ROWS = 25;
  const $ = (id) => document.getElementById(id);
  const packed = Uint8Array.from(atob($("data").textContent), (sign) => sign.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const rows = await new Response(unpacked).json();
  const language = document.documentElement.lang;

  const element = (name, text, of = {}) =>
    Object.assign(document.createElement(name), { textContent: text }, of);
  const counted = (of) => {
    const counts = new Map();
    for (const row of rows) for (const one of of(row)) counts.set(one, (counts.get(one) ?? 0) + 1);
    return counts;
  };

  // a criterion may be called like something that every object has
  const valuesOf = (row, title) => (Object.hasOwn(row.fields, title) ? row.fields[title] : []);
  const choices = new Map();
  for (const title of counted((row) => Object.keys(row.fields)).keys()) {
    const values = counted((row) => valuesOf(row, title));
    // what all answers have is no choice
    if ([...values.values()].every((n) => n === rows.length)) continue;
    const select = element("select", "", { name: title });
    select.append(element("option", "–", { value: "" }));
    for (const [value, n] of values) select.append(element("option", `${value} (${n.toLocaleString(language)})`, { value }));
    const label = element("label", `${title} `);
    label.append(select);
    $("choice").append(label);
    choices.set(title, select);
  }
  for (const title of counted((row) => Object.keys(row.numbers)).keys()) {
    for (const sign of ["↑", "↓"]) $("order").append(element("option", `${title} ${sign}`, { value: sign + title }));
  }

  let left = rows;
  let page = 0;
  const draw = () => {
    const [from, to] = [page * ROWS, Math.min((page + 1) * ROWS, left.length)];
    // the markup is the server's, which escapes whatever others wrote
    $("list").innerHTML = left.slice(from, to).map((row) => row.html).join("");
    const slots = { first: left.length ? from + 1 : 0, last: to, n: left.length };
    $("status").textContent = $("status").dataset.text.replace(/\{(\w+)\}/g, (_, name) => slots[name].toLocaleString(language));
    $("previous").disabled = !from;
    $("next").disabled = to === left.length;
  };
  const choose = () => {
    const wanted = $("search").value.toLowerCase();
    left = rows.filter(
      (row) =>
        row.text.toLowerCase().includes(wanted) &&
        [...choices].every(([title, { value }]) => !value || valuesOf(row, title).includes(value)),
    );
    const [sign, title] = [$("order").value[0], $("order").value.slice(1)];
    if (sign) {
      // what has no number stands last in either order
      const number = (row) => row.numbers[title] ?? Infinity * (sign === "↑" ? 1 : -1);
      left.sort((a, b) => (sign === "↑" ? number(a) - number(b) : number(b) - number(a)) || 0);
    }
    page = 0;
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
  draw();
  follow();
})();
