// The page's language, its address and history, and what gradio leaves to do for the keyboard.
// It runs before gradio's script; `frame.py` puts it there.
(() => {
  // what `frame.py` wrote: our languages as gradio calls them, texts by language
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const KEPT = "normscope.language";
  const query = () => new URLSearchParams(location.search);
  const element = (id) => document.getElementById(id);

  // Language: that of the address, or the one chosen here before, or the browser's.
  const known = (tag) => {
    const language = tag?.toLowerCase().split(/[-_]/)[0];
    return Object.hasOwn(data.locales, language) ? language : undefined;
  };
  const kept = () => {
    try { return localStorage.getItem(KEPT); } catch { return null; }
  };
  const chosen = known(query().get("lang")) ?? known(kept());
  const language = chosen ?? known(navigator.language) ?? "en";
  const texts = data.texts[language], locale = data.locales[language];
  // gradio asks the browser for a language, and has texts of its own in thirty
  Object.defineProperty(navigator, "language", { value: locale, configurable: true });
  document.documentElement.lang = locale;
  // gradio says so of its page when it has drawn it
  const theme = query().get("__theme");
  const dark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", dark);
  // the server answers in the language of each request
  const fetched = window.fetch;
  window.fetch = (resource, options = {}) => {
    const headers = new Headers(options.headers ?? (resource instanceof Request ? resource.headers : {}));
    headers.set("accept-language", locale);
    return fetched(resource, { ...options, headers });
  };

  // Address: its keys `tab` and `lang`.
  const address = (key, value, { push = false } = {}) => {
    const url = new URL(location.href);
    url.searchParams.set(key, value);
    if (url.href === location.href) return;
    history[push ? "pushState" : "replaceState"](null, "", url);
    last = url.search;
    point();
  };
  let last = location.search;

  const TABS = '#tabs > .tab-wrapper [role="tab"]';
  // those of the footer's pages are not seen
  const tabs = () => [...document.querySelectorAll(TABS)].filter((tab) => tab.checkVisibility());
  // tabs that are one now
  const MOVED = { answer: "score", file: "score" };
  const named = () => MOVED[query().get("tab")] ?? query().get("tab");
  const open = (name) => {
    const tab = element(`tab-${name}-button`);
    if (tab?.getAttribute("aria-selected") === "false") tab.click();
    return tab;
  };
  window.addEventListener("popstate", () => {
    if (location.search === last) { anchored(); return; }
    last = location.search;
    point();
    norms.show();
    // a name that no tab has, and none, are the first tab
    if (!open(named())) tabs()[0]?.click();
  });
  // an address may end with the name of a tab, or of what stands in one
  const anchored = () => {
    const target = element(decodeURIComponent(location.hash.slice(1)));
    const panel = target?.closest("[id^='tab-']");
    if (!panel) return;
    go(panel.id.slice(4), false);
    target.scrollIntoView();
  };

  // The norms of flows: the server writes them for each address (`frame.py`), here one is gone to.
  const norms = {
    turn: 0,
    // beside its place: what stands in it is gradio's
    settle() {
      const place = element("norms-place");
      if (!place || place.nextElementSibling?.id === "norms-view") return;
      const view = element("norms-view") ?? document.createElement("div");
      view.id = "norms-view";
      place.after(view);
      element("first")?.remove();
      if (view.dataset.language !== language) norms.show();
    },
    async show(hash = "") {
      const turn = ++norms.turn;
      const answer = await window.fetch(`norms${location.search}`);
      // a later one is under way
      if (!answer.ok || turn !== norms.turn) return;
      const focus = document.activeElement?.closest("#norms-view") && document.activeElement;
      element("norms-view").outerHTML = await answer.text();
      const view = element("norms-view");
      if (focus?.name) view.querySelector(`[name="${focus.name}"]`)?.focus({ preventScroll: true });
      const to = hash ? element(hash.slice(1)) : view;
      if (hash || to.getBoundingClientRect().top < 0) to.scrollIntoView();
      if (focus) regions[0].textContent = view.querySelector(".lead").textContent;
    },
    go(keys, hash) {
      const url = new URL(location.href);
      for (const [key, value] of keys) url.searchParams.set(key, value);
      if (url.search !== location.search) {
        history.pushState(null, "", url);
        last = url.search;
        point();
      }
      norms.show(hash);
    },
    title() {
      const view = element("norms-view"), tab = tabs().find((each) => each.getAttribute("aria-selected") === "true");
      const words = tab?.dataset.tabId === "norms" ? view?.dataset.title : tab?.textContent;
      const title = words ? `${words} · Normscope` : "Normscope";
      if (document.title !== title) document.title = title;
    },
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest('#norms-view a[href^="?"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    norms.go(new URLSearchParams(link.search), link.hash);
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("#norms-view select")) norms.go([[event.target.name, event.target.value]]);
  });
  // within a map the arrows lead from cell to cell
  document.addEventListener("keydown", (event) => {
    const cell = event.target.closest?.("#norms-view .maps td");
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!cell || !step) return;
    const row = cell.parentElement, rows = row.parentElement.rows;
    rows[row.sectionRowIndex + step[0]]?.cells[cell.cellIndex + step[1]]?.querySelector("a")?.focus();
    event.preventDefault();
  });

  const go = (name, push = true) => {
    address("tab", name, { push });
    return open(name);
  };

  document.addEventListener("click", (event) => {
    // one that a script made is no visitor's step
    const tab = event.isTrusted && event.target.closest(TABS);
    if (tab) address("tab", tab.dataset.tabId, { push: true });
    const link = event.target.closest('a[href^="#tab-"]');
    if (link) {
      event.preventDefault();
      const panel = element(go(link.hash.slice(5))?.getAttribute("aria-controls"));
      panel?.querySelector("h2")?.focus({ preventScroll: true });
      window.scrollTo({ top: 0 });
    }
    if (event.target.closest('a[href="#api"]')) {
      event.preventDefault();
      document.querySelector("footer .show-api")?.click();
    }
    const other = event.target.closest("#languages a");
    if (other) {
      if (touched && !confirm(texts.leave)) { event.preventDefault(); return; }
      try { localStorage.setItem(KEPT, other.lang); } catch { /* the address says it, too */ }
    }
  });
  // what would be lost when the page is loaded anew
  let touched = false;
  const touch = (event) => { touched ||= event.target.matches("textarea, input[type=file], .cm-content"); };
  document.addEventListener("input", touch);
  document.addEventListener("drop", () => { touched = true; });

  // The links to the page in each language lead to what is seen now.
  const point = () => {
    for (const link of document.querySelectorAll("#languages a")) {
      const to = new URL(location.href);
      to.searchParams.set("lang", link.lang);
      if (link.href !== to.href) link.href = to.href;
      if (link.lang === language) link.setAttribute("aria-current", "true");
    }
  };
  if (chosen) address("lang", chosen);

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      if (event.target.closest("#answer-question, #answer-answer")) {
        element("answer-button").click();
        event.preventDefault();
      }
    }
    const at = tabs().indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (at >= 0 && to !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey) {
      const next = tabs().at(to % tabs().length);
      // a step for each tab that is passed would bury what came before
      go(next.dataset.tabId, false);
      next.focus();
      event.preventDefault();
    }
  });

  // a context that was written here, as a file of its name
  window.saveContext = (text) => {
    const name = /^name:\s*["']?([a-z][a-z0-9_]{0,58})["']?\s*$/m.exec(text)?.[1] ?? "context";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
    link.download = `${name}.yaml`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  // the editor indents at the tab key, and nobody without a mouse would ever leave it
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab" && event.target.closest?.(".cm-content")) event.stopPropagation();
  }, true);

  // what gradio says of a file that is too large is put into the visitor's words
  const largeFile = /^File\(s\) exceed the maximum allowed size of [^:]*: (.*)$/s;
  const reword = () => {
    for (const toast of document.querySelectorAll('[data-testid="toast-text"]')) {
      const match = largeFile.exec(toast.textContent);
      if (!match) continue;
      toast.textContent = texts.large.replace("{files}", () => match[1]);
      const title = toast.closest('[data-testid="toast-body"]')?.querySelector(".toast-title")?.firstChild;
      if (title) title.nodeValue = `${texts.error} `;
    }
  };

  // A result is said once to who does not see it, and scrolled to where it comes far from the button
  // that was pressed: gradio puts it where the tab has it, on a phone screens below.
  const regions = ["status", "alert"].map((role) => {
    const region = document.createElement("div");
    region.className = "unseen";
    region.role = role;
    return region;
  });
  const said = new WeakMap();
  const say = (live, content) => {
    const problem = content.matches(".problem"), progress = content.matches(".progress");
    const words = problem || content.matches(".note-line") ? content : content.querySelector("h3, .lead, p");
    // of a bar that goes on only its beginning is news
    const text = progress ? texts.begun : words?.textContent.replace(/\s+/g, " ").trim() ?? "";
    if (said.get(live) === text) return;
    said.set(live, text);
    // what was wrong before is over
    regions[1].textContent = "";
    regions[problem ? 1 : 0].textContent = problem || progress ? text : texts.result.replace("{text}", () => text);
  };
  // what a tab shows when it is opened is no news
  const used = new WeakSet();
  for (const kind of ["pointerdown", "keydown", "change", "drop"]) {
    document.addEventListener(kind, (event) => {
      const panel = event.target.closest?.('[role="tabpanel"]');
      if (panel) used.add(panel);
    }, true);
  }
  let pressed = null;
  const arrived = (live) => {
    const content = live.querySelector(".ns");
    if (!content && said.delete(live)) regions[1].textContent = "";
    if (!content || content.matches(".waiting") || !content.checkVisibility()) return;
    if (used.has(live.closest('[role="tabpanel"]'))) say(live, content);
    const { top, bottom } = content.getBoundingClientRect();
    if (!pressed?.contains(live)) return;
    if (top > innerHeight * 0.75 || bottom < 0) {
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      content.scrollIntoView({ block: "start", behavior: still ? "instant" : "smooth" });
    }
    if (!content.matches(".progress")) pressed = null;
  };
  document.addEventListener("click", (event) => {
    const button = event.isTrusted && event.target.closest("button");
    if (button) pressed = button.closest('[role="tabpanel"]');
  }, true);
  // who looks elsewhere meanwhile stays there
  for (const kind of ["wheel", "touchmove", "keydown", "input"]) {
    document.addEventListener(kind, (event) => { if (!["Enter", " "].includes(event.key)) pressed = null; }, { passive: true });
  }
  const news = new Set();
  let soon;
  const hear = (records) => {
    for (const { target } of records) {
      const live = target.parentElement?.closest(".live") ?? (target.matches?.(".live") ? target : null);
      if (live) news.add(live);
    }
    if (!news.size) return;
    clearTimeout(soon);
    soon = setTimeout(() => { for (const live of news) arrived(live); news.clear(); }, 200);
  };

  // gradio draws the tabs after this script has run, and draws them anew when the window changes
  let drawn = false;
  const dress = () => {
    const seen = tabs();
    // on a page of the footer none is selected, and the first is reached
    const at = seen.find((tab) => tab.getAttribute("aria-selected") === "true") ?? seen[0];
    for (const tab of document.querySelectorAll(TABS)) {
      if (tab.tabIndex !== (tab === at ? 0 : -1)) tab.tabIndex = tab === at ? 0 : -1;
      const panel = element(tab.getAttribute("aria-controls"));
      if (panel?.getAttribute("aria-labelledby") === tab.id) continue;
      panel?.setAttribute("aria-labelledby", tab.id);
      panel?.querySelector("h2")?.setAttribute("tabindex", "-1");
    }
  };
  new MutationObserver((records) => {
    reword();
    dress();
    hear(records);
    norms.settle();
    norms.title();
    const own = document.querySelector("#norms-own [data-own]:not([data-shown])");
    if (own) { own.dataset.shown = ""; norms.go([["own", own.dataset.own]]); }
    if (!drawn && tabs().length && element("languages")) {
      drawn = true;
      document.documentElement.classList.remove("dark");
      document.body.append(...regions);
      open(named());
      anchored();
      point();
    }
  }).observe(document.documentElement, {
    childList: true, subtree: true, attributes: true, attributeFilter: ["aria-selected"],
  });
})();
