// SPDX-License-Identifier: BSD-3-Clause
// Starts the page and keeps what is shown and the address in step: everything is a function of location.hash, so that Back
// works and every state can be linked to.
//
//   #graphs?q=nitro&outcome=wrong&sort=score       a list: search, filters, order; what has its default is left out
//   #graphs?q=nitro&graph=17                       the same list, with graph 17 open over it
//   #motifs?motif=3&graph=17                       motif 3 is open, and of its graphs 17
"use strict";

const batch = 60; // entries added to a list at a time

let lists = [];
// What is shown: the tab, what is wanted of each list (see choose()), and the numbers of the open motif and graph or null.
const state = { tab: "", wanted: {}, motif: null, graph: null };
let chosen = []; // of the list of the tab
let drawn = { tab: "", list: "", open: "" }; // what the page holds already

function byId(id) {
  return document.getElementById(id);
}

function listOf(tab) {
  return lists.find(({ name }) => name === tab);
}

function emptyWanted(tab) {
  const filters = listOf(tab).filters.map(({ key }) => [key, ""]);
  return { q: "", sort: "", direction: "", ...Object.fromEntries(filters) };
}

// --- addresses ---------------------------------------------------------------------------------------------------------

function address({ tab = state.tab, wanted = state.wanted[tab], motif = null, graph = null }) {
  const words = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ""));
  if (motif !== null) words.set("motif", motif);
  if (graph !== null) words.set("graph", graph);
  const query = words.toString();
  return `#${tab}${query ? `?${query}` : ""}`;
}

// What does not exist (an old link, a mistyped one) is as if it were not there.
function readAddress(hash) {
  const [name, query] = hash.slice(1).split(/\?(.*)/s);
  const tab = listOf(name) ? name : lists[0].name;
  const words = new URLSearchParams(query ?? "");
  const wanted = emptyWanted(tab);
  const allowed = new Map([
    ["sort", listOf(tab).sorts.map(({ key }) => key)],
    ["direction", ["up", "down"]],
    ...listOf(tab).filters.map(({ key, options }) => [key, options.map(([value]) => value)]),
  ]);
  for (const key of Object.keys(wanted)) {
    const value = words.get(key) ?? "";
    if (key === "q" || allowed.get(key).includes(value)) wanted[key] = value;
  }
  const index = (key, items) =>
    /^\d+$/.test(words.get(key) ?? "") && items[words.get(key)] ? Number(words.get(key)) : null;
  return { tab, wanted, motif: index("motif", data.motifs), graph: index("graph", data.graphs) };
}

// Every entry of the history knows how many entries below it its list is without an open view; 0: not known, the page was
// entered by a link to an open view.
function go(hash, replace = false) {
  const below = history.state?.depth ?? 0;
  const opens = readAddress(hash).motif !== null || readAddress(hash).graph !== null;
  let depth = 0;
  if (opens && replace) depth = below;
  else if (opens && isOpen()) depth = below > 0 ? below + 1 : 0;
  else if (opens) depth = 1;
  try {
    history[replace ? "replaceState" : "pushState"]({ depth }, "", hash);
  } catch {
    location.hash = hash; // browsers refuse too many changes in a short time
  }
  show();
}

function isOpen() {
  return state.motif !== null || state.graph !== null;
}

function close() {
  const depth = history.state?.depth ?? 0;
  if (depth > 0) history.go(-depth);
  else go(address({}), true);
}

function change(key, value) {
  const wanted = { ...state.wanted[state.tab], [key]: value };
  go(address({ wanted }), true);
}

// A second time the other way round.
function sortBy(list, key) {
  const wanted = state.wanted[list.name];
  const [sort, descending] = sorting(list, wanted);
  const direction = sort.key === key ? (descending ? "up" : "down") : "";
  go(address({ wanted: { ...wanted, sort: key === list.sorts[0].key ? "" : key, direction } }), true);
}

// --- the head of the page ----------------------------------------------------------------------------------------------

function showHead() {
  byId("title").textContent = data.title || "Explanations";
  const facts = [
    ["Data", data.data],
    ["Model", data.model],
    ["Method", data.method],
    ["Target", data.target],
  ];
  byId("facts").append(
    ...facts
      .filter(([, text]) => text)
      .map(([name, text]) => element("div", null, element("dt", null, name), element("dd", null, text))),
  );
  byId("figures").hidden = data.figures.length === 0;
  byId("figures").append(
    ...data.figures.map(({ name, value, meaning }) =>
      element(
        "div",
        null,
        element("dt", null, name),
        element("dd.value", null, value),
        meaning ? element("dd.meaning", null, meaning) : null,
      ),
    ),
  );
  if (data.remarks.length > 0) {
    const items = element(
      "ul",
      null,
      data.remarks.map((remark) => element("li", null, remark)),
    );
    const summary = element("summary", null, counted(data.remarks.length, "remark", "remarks"));
    byId("remarks").hidden = false;
    byId("remarks").append(element("details", { open: data.remarks.length <= 3 }, summary, items));
  }
}

function legend() {
  const number = isNumberTarget();
  const entry = (kind, text) => element("li", null, element(`span.swatch.${kind}`, { "aria-hidden": "true" }), text);
  const colours =
    data.method === "masks"
      ? [entry("for", "on paths that the prediction needs")]
      : [
          entry("for", number ? "raises the number" : "supports the predicted class"),
          entry("against", number ? "lowers it" : "speaks against it"),
        ];
  return element(
    "ul.legend",
    { role: "list", "aria-label": "Colours of the pictures" },
    colours,
    entry("motif", "part of the motif"),
    element(
      "li.muted",
      null,
      `The stronger the colour, the larger ${data.method === "masks" ? "their weights" : "the share"}.`,
    ),
  );
}

function showTabs() {
  byId("tabs").replaceChildren(
    ...lists.map((list) =>
      element(
        "a",
        {
          href: address({ tab: list.name }),
          "aria-current": list.name === state.tab ? "page" : null,
        },
        list.tab ?? list.heading,
        element("span.count", null, grouped.format(list.items.length)),
      ),
    ),
  );
}

// --- lists -------------------------------------------------------------------------------------------------------------

// Puts `items` into `body`, a part at a time as the reader gets there; returns the button for more.
function growing(body, items, make) {
  let shown = 0;
  const grow = () => {
    const next = items.slice(shown, shown + batch);
    shown += next.length;
    body.append(...next.map(make));
    more.hidden = shown >= items.length;
    more.textContent = `Show more: ${grouped.format(items.length - shown)} left`;
    watch.unobserve(more); // once more, in case it is still in sight
    watch.observe(more);
  };
  const more = element("button.quiet.more", { type: "button", onclick: grow });
  const watch = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && grow(), {
    rootMargin: "800px",
  });
  grow();
  return more;
}

function field(label, control) {
  return element("label.field", null, element("span", null, label), control);
}

function toolbar(list) {
  const search = element("input", {
    type: "search",
    id: "search",
    placeholder: list.search,
    autocomplete: "off",
    spellcheck: "false",
    oninput: (event) => change("q", event.target.value),
  });
  const select = (key, options) =>
    element(
      "select",
      { "data-key": key, onchange: (event) => change(key, event.target.value) },
      options.map(([value, text]) => element("option", { value }, text)),
    );
  const filters = list.filters
    .filter(({ chip }) => !chip)
    .map(({ key, label, options }) => field(label, select(key, [["", "all"], ...options])));
  const sort = element(
    "select",
    { id: "sort", onchange: (event) => sortBy(list, event.target.value) },
    list.sorts.map(({ key, label }) => element("option", { value: key }, label)),
  );
  const direction = element("button.quiet.direction", {
    type: "button",
    id: "direction",
    onclick: () => sortBy(list, sort.value),
  });
  return element(
    "form.toolbar",
    { role: "search", onsubmit: (event) => event.preventDefault() },
    element("label.field.search", null, element("span", null, "Search"), search),
    filters,
    element("div.sorting", null, field("Sort by", sort), direction),
  );
}

// Of a list without entries at all, or of a search that finds none.
function nothing(list, wanted) {
  const [one, many] = list.nouns;
  if (list.items.length === 0) return element("p.nothing", null, `There are no ${many}.`);
  const { sort, direction } = wanted;
  const clear = () => go(address({ wanted: { ...emptyWanted(list.name), sort, direction } }), true);
  const filtered = list.filters.some(({ key }) => wanted[key] !== "");
  const text = wanted.q.trim() ? `No ${one} matches “${wanted.q.trim()}”` : `No ${one} passes these filters`;
  return element(
    "div.nothing",
    null,
    element("p", null, `${text}${wanted.q.trim() && filtered ? " within these filters" : ""}.`),
    element("button.button", { type: "button", onclick: clear }, "Show all"),
  );
}

function showList() {
  const list = listOf(state.tab);
  const wanted = state.wanted[state.tab];
  if (drawn.tab !== state.tab) {
    byId("list").replaceChildren(
      element(
        "div.intro",
        null,
        element(list.tab ? "h2" : "h2.unseen", null, list.heading),
        element("p", null, list.intro),
      ),
      list.hasPictures && list.items.length > 0 ? legend() : "",
      list.items.length > 0 ? toolbar(list) : "",
      element("div.result-line", null, element("p", { id: "count", role: "status" }), element("div", { id: "chips" })),
      element("div", { id: "result" }),
    );
  }
  chosen = choose(list, wanted);
  showControls(list, wanted);
  const all = counted(list.items.length, ...list.nouns);
  byId("count").textContent =
    chosen.length === list.items.length
      ? all
      : `${grouped.format(chosen.length)} of ${grouped.format(list.items.length)} ${list.nouns[1]}`;
  if (chosen.length === 0) {
    byId("result").replaceChildren(nothing(list, wanted));
    return;
  }
  const { root, body } = list.frame();
  const more = growing(body, chosen, list.entry);
  byId("result").replaceChildren(root, more);
  const [sort, descending] = sorting(list, wanted);
  const button = root.querySelector(`button[data-sort="${sort.key}"]`);
  button?.closest("th").setAttribute("aria-sort", descending ? "descending" : "ascending");
}

function showControls(list, wanted) {
  if (list.items.length === 0) return;
  const [sort, descending] = sorting(list, wanted);
  if (byId("search").value !== wanted.q) byId("search").value = wanted.q;
  for (const select of document.querySelectorAll("select[data-key]")) {
    select.value = wanted[select.dataset.key];
    select.classList.toggle("set", select.value !== "");
  }
  byId("sort").value = sort.key;
  byId("direction").textContent = descending ? "↓" : "↑";
  byId("direction").setAttribute(
    "aria-label",
    descending ? "Largest or last first; turn round" : "Smallest or first first; turn round",
  );
  byId("chips").replaceChildren(
    ...list.filters
      .filter(({ key, chip }) => chip && wanted[key] !== "")
      .map(({ key, label, options }) => {
        const [, text] = options.find(([value]) => value === wanted[key]);
        const remove = () => change(key, "");
        return element(
          "button.chip",
          { type: "button", onclick: remove, title: "Remove this filter" },
          `${label}: ${text}`,
        );
      }),
  );
}

// --- the open view -----------------------------------------------------------------------------------------------------

// What previous and next go through: the graphs of the open motif, or the list behind the view.
function neighbours() {
  const kind = state.graph === null ? "motifs" : "graphs";
  const index = state.graph ?? state.motif;
  let items = listOf(kind)?.items ?? data[kind];
  if (state.graph !== null && state.motif !== null)
    items = data.motifs[state.motif].graphs.map((graph) => data.graphs[graph]);
  else if (kind === state.tab && chosen.some((item) => item.index === index)) items = chosen;
  return { items, place: items.findIndex((item) => item.index === index) };
}

function step(by) {
  const { items, place } = neighbours();
  const next = items[place + by];
  if (place < 0 || !next) return;
  if (state.graph === null) go(address({ motif: next.index }), true);
  else go(address({ motif: state.motif, graph: next.index }), true);
}

function makeOpenView() {
  const dialog = byId("open-view");
  const button = (id, text, label, action) =>
    element("button.quiet", { type: "button", id, "aria-label": label, onclick: action }, text);
  dialog.append(
    element(
      "header",
      null,
      element(
        "div.open-names",
        null,
        element("p", { id: "open-kind" }),
        element("h2", { id: "open-title", tabindex: "-1" }),
      ),
      element(
        "div.open-buttons",
        null,
        element("span.position", { id: "position", role: "status" }),
        button("previous", "←", "Previous", () => step(-1)),
        button("next", "→", "Next", () => step(1)),
        button("close", "Close", "Close", close),
      ),
    ),
    element("div.open-body", { id: "open-body" }),
  );
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    close();
  });
  // A browser may close it in ways of its own.
  dialog.addEventListener("close", () => isOpen() && close());
  dialog.addEventListener("click", (event) => event.target === dialog && close());
}

function showOpenView() {
  const dialog = byId("open-view");
  if (!isOpen()) {
    if (dialog.open) dialog.close();
    byId("open-body").replaceChildren();
    return;
  }
  const motif = data.motifs[state.motif];
  const graph = data.graphs[state.graph];
  const { items, place } = neighbours();
  const inMotif = graph && motif && element("a", { href: address({ motif: motif.index }) }, motifName(motif));
  byId("open-kind").replaceChildren(...(inMotif ? ["A graph with the motif ", inMotif] : [graph ? "Graph" : "Motif"]));
  byId("open-title").textContent = graph ? graphName(graph) : motifName(motif);
  byId("position").textContent = place < 0 ? "" : `${grouped.format(place + 1)} of ${grouped.format(items.length)}`;
  byId("previous").disabled = place <= 0;
  byId("next").disabled = place < 0 || place + 1 >= items.length;
  byId("open-body").replaceChildren(graph ? openGraph(graph) : openMotif(motif));
  if (!dialog.open) dialog.showModal();
  byId("open-body").scrollTop = 0;
  if (!dialog.contains(document.activeElement) || document.activeElement.disabled) byId("open-title").focus();
}

// --- in step with the address ------------------------------------------------------------------------------------------

function show() {
  const { tab, wanted, motif, graph } = readAddress(location.hash);
  const wasOpen = isOpen() ? `${state.graph === null ? "motif" : "graph"}-${state.graph ?? state.motif}` : null;
  Object.assign(state, { tab, motif, graph });
  state.wanted[tab] = wanted;
  const list = JSON.stringify([tab, wanted]);
  if (drawn.list !== list) {
    // Another list begins at its beginning, not where the last one was left.
    const toStart = drawn.tab !== "" && drawn.tab !== tab && byId("list").getBoundingClientRect().top < 0;
    showTabs();
    showList();
    if (toStart) byId("list").scrollIntoView();
  }
  const open = JSON.stringify([list, motif, graph]);
  if (drawn.open !== open) showOpenView();
  drawn = { tab, list, open };
  const name = graph !== null ? graphName(data.graphs[graph]) : motif !== null ? motifName(data.motifs[motif]) : null;
  document.title = [name, data.title || "Explanations"].filter(Boolean).join(" · ");
  if (wasOpen && !isOpen()) document.querySelector(`[data-open="${wasOpen}"]`)?.focus();
}

function onClick(event) {
  const link = event.target.closest?.('a[href^="#"]');
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (link.classList.contains("skip")) byId("list").focus();
  else go(link.getAttribute("href"));
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest?.("input, select, textarea") ?? null;
  if (isOpen()) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") {
      event.preventDefault();
      close();
    } else if (by && !typing) {
      event.preventDefault();
      step(by);
    }
  } else if (event.key === "/" && !typing) {
    event.preventDefault();
    byId("search")?.focus();
  }
}

function start() {
  const island = byId("data");
  readData(island.textContent);
  island.remove(); // tens of megabytes that nobody needs twice
  const all = [motifList(), graphList(), anchorList()];
  const filled = all.filter(({ items }) => items.length > 0);
  lists = filled.length > 0 ? filled : [all[1]];
  for (const { name } of lists) state.wanted[name] = emptyWanted(name);
  startTheme(byId("theme"));
  showHead();
  makeOpenView();
  addEventListener("popstate", show);
  document.addEventListener("click", onClick);
  document.addEventListener("keydown", onKey);
  show();
}

document.addEventListener("DOMContentLoaded", start);
