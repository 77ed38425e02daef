// SPDX-License-Identifier: BSD-3-Clause
// The three lists of the page (motifs, graphs, anchors): what can be searched, filtered and sorted in each, and how an entry
// looks. page.js shows them; all three have the shape that motifList() comments on.
"use strict";

// From the JSON island, with the names of include/gckn/explanation_page.h. Every motif, graph and anchor has its place as
// `index`.
let data = null;

function readData(json) {
  data = JSON.parse(json);
  for (const items of [data.motifs, data.graphs, data.anchors]) {
    items.forEach((item, index) => {
      item.index = index;
    });
  }
}

// None were wanted, or there are.
function hasPictures() {
  return data.graphs.some((graph) => graph.picture);
}

function isNumberTarget() {
  return data.classes.length === 0;
}

function className(index) {
  return data.classes[index] || (index === undefined ? unknown : "(without a name)");
}

function graphName(graph) {
  return graph.id || `Graph ${grouped.format(graph.number)}`;
}

function motifName(motif) {
  return motif.name || motif.smiles || `Motif ${grouped.format(motif.index + 1)}`;
}

// Of a class that the model knows, or of another one.
function trueClass(graph) {
  return graph.strange_class ?? className(graph.truth);
}

function hasTruth(graph) {
  return graph.truth !== undefined || graph.strange_class !== undefined;
}

function outcome(graph) {
  if (graph.predicted === undefined || !hasTruth(graph)) return "unknown";
  return graph.predicted === graph.truth ? "right" : "wrong";
}

function outcomeMark(graph) {
  const result = outcome(graph);
  if (result === "unknown") return element("span.muted", null, "not known");
  return element(`span.outcome.${result}`, null, result);
}

// Of the class it explains; where there is none, the largest.
function ownShare(motif) {
  const shares = motif.share_by_class;
  if (!shares) return null;
  return motif.explained_class === undefined ? Math.max(...shares) : shares[motif.explained_class];
}

// A tenth is as much as such a statistic is worth.
function enrichment(motif) {
  const text = motif.enrichment.toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return `${motif.enrichment > 0 ? "+" : ""}${text.replace("-", "−")}`;
}

function deviation(graph) {
  return isKnown(graph.true_number) && isKnown(graph.score) ? graph.score - graph.true_number : null;
}

// A filter by the classes that occur, with how often; null if there is nothing to choose from.
function classFilter(key, label, items, of) {
  const counts = data.classes.map(() => 0);
  for (const item of items) if (of(item) !== undefined) counts[of(item)] += 1;
  if (counts.filter((count) => count > 0).length < 2) return null;
  const options = counts.map((count, index) => [String(index), `${className(index)} (${grouped.format(count)})`]);
  return { key, label, options, passes: (item, value) => String(of(item)) === value };
}

function outcomeFilter() {
  const kinds = [
    ["right", "right", (graph) => outcome(graph) === "right"],
    ["wrong", "wrong", (graph) => outcome(graph) === "wrong"],
    ["unknown", "truth not known", (graph) => !isNumberTarget() && outcome(graph) === "unknown"],
    ["failed", "without explanation", (graph) => Boolean(graph.error)],
  ];
  const options = [];
  for (const [value, label, test] of kinds) {
    const count = data.graphs.filter(test).length;
    if (count > 0) options.push([value, `${label} (${grouped.format(count)})`]);
  }
  if (options.length === 0) return null;
  const tests = new Map(kinds.map(([value, , test]) => [value, test]));
  return { key: "outcome", label: "Outcome", options, passes: (graph, value) => tests.get(value)(graph) };
}

// Shown only while it is set, as a chip: a list of all motifs would be long.
function motifFilter() {
  const members = data.motifs.map((motif) => new Set(motif.graphs));
  return {
    key: "in",
    label: "Motif",
    options: data.motifs.map((motif) => [String(motif.index), motifName(motif)]),
    chip: true,
    passes: (graph, value) => members[Number(value)].has(graph.index),
  };
}

function someKnown(items, of) {
  return items.some((item) => isKnown(of(item)));
}

function motifList() {
  const items = data.motifs;
  return {
    name: "motifs", // in the address
    heading: "Motifs",
    intro: "Substructures that carry predictions. Equal ones of different graphs are one motif.",
    nouns: ["motif", "motifs"],
    items,
    hasPictures: hasPictures(),
    search: "Name or SMILES",
    words: (motif) => motifName(motif).toLowerCase(), // searched without regard to case
    smiles: (motif) => motif.smiles ?? "", // searched with it: c is another atom than C
    filters: [classFilter("class", "Explains", items, (motif) => motif.explained_class)].filter(Boolean),
    // The first is the default. `of` gives a number or, with `text`, a text; unknown numbers come last.
    sorts: [
      someKnown(items, (motif) => motif.enrichment) && {
        key: "enrichment",
        label: "Enrichment",
        of: (motif) => motif.enrichment,
        descending: true,
      },
      { key: "graphs", label: "Number of graphs", of: (motif) => motif.graphs.length, descending: true },
      { key: "contribution", label: "Mean contribution", of: (motif) => motif.contribution, descending: true },
      items.some((motif) => motif.share_by_class) && {
        key: "share",
        label: isNumberTarget() ? "Share of graphs" : "Share of its class",
        of: ownShare,
        descending: true,
      },
      someKnown(items, (motif) => motif.nodes) && {
        key: "size",
        label: "Size",
        of: (motif) => motif.nodes,
        descending: true,
      },
      { key: "name", label: "Name", of: motifName, text: true },
    ].filter(Boolean),
    frame: () => {
      const body = element("ul.cards", { role: "list" });
      return { root: body, body };
    },
    entry: motifCard,
  };
}

// Bars of how many graphs of each class contain the motif; `limit`: the largest of them only.
function shareBars(motif, limit) {
  if (!motif.share_by_class) return null;
  const rows = motif.share_by_class.map((share, index) => ({ share, index }));
  rows.sort((a, b) => (b.share ?? 0) - (a.share ?? 0) || a.index - b.index);
  const left = rows.length - limit;
  return element(
    "dl.shares",
    { "aria-label": "Share of the graphs of each class that contain it" },
    rows.slice(0, limit).map(({ share, index }) => {
      const bar = element("span.bar", { "aria-hidden": "true" });
      bar.style.setProperty("--share", isKnown(share) ? Math.min(1, Math.max(0, share)) : 0);
      const own = index === motif.explained_class ? ".own" : "";
      return element(
        `div${own}`,
        null,
        element("dt", { title: className(index) }, className(index)),
        element("dd", null, bar, element("span.number", null, percent(share))),
      );
    }),
    left > 0 ? element("div.rest", null, `and ${counted(left, "class", "classes")} more`) : null,
  );
}

function classTag(index) {
  return index === undefined ? null : element("span.tag", { title: className(index) }, className(index));
}

function motifCard(motif) {
  return element(
    "li.card",
    null,
    hasPictures() && picture(motif.picture, ""),
    element(
      "div.card-text",
      null,
      element(
        "h3",
        null,
        element(
          "a.cover",
          { href: address({ motif: motif.index }), "data-open": `motif-${motif.index}` },
          motifName(motif),
        ),
      ),
      element("p.card-class", null, classTag(motif.explained_class)),
      element(
        "dl.pair",
        null,
        element("div", null, element("dt", null, "Graphs"), element("dd", null, grouped.format(motif.graphs.length))),
        element("div", null, element("dt", null, "Contribution"), element("dd", null, signed(motif.contribution))),
        isKnown(motif.enrichment) &&
          element("div", null, element("dt", null, "Enrichment"), element("dd", null, enrichment(motif))),
      ),
      shareBars(motif, 3),
    ),
  );
}

// A table whose columns are { label, cell, sort, number, kind }; `sort` names one of the list's orders.
function table(list, columns) {
  const body = element("tbody", { role: "rowgroup" });
  const heads = columns.map(({ label, sort, number, kind, unseen }) => {
    const content = sort
      ? element("button.sort", { type: "button", "data-sort": sort, onclick: () => sortBy(list, sort) }, label)
      : unseen
        ? element("span.unseen", null, label)
        : label;
    return element(cellKind("th", number, kind), { role: "columnheader", scope: "col" }, content);
  });
  const head = element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, heads));
  const root = element(`table.${list.name}`, { role: "table", "aria-label": list.heading }, head, body);
  return { root, body };
}

function cellKind(tag, number, kind) {
  return [tag, number && "number", kind].filter(Boolean).join(".");
}

function tableRow(columns, item) {
  const cells = columns.map(({ label, cell, number, kind }) =>
    element(cellKind("td", number, kind), { role: "cell", "data-label": label }, cell(item)),
  );
  return element("tr", { role: "row" }, cells);
}

function graphColumns() {
  const graphs = data.graphs;
  const of = (name) => (graph) => graph[name];
  const numberColumn = (label, key, show, kind) =>
    someKnown(graphs, of(key)) && { label, sort: key, number: true, kind, cell: (graph) => show(graph[key]) };
  const target = isNumberTarget()
    ? [
        { label: "Predicted", sort: "score", number: true, cell: (graph) => decimal(graph.score) },
        numberColumn("True", "true_number", decimal),
        someKnown(graphs, deviation) && {
          label: "Error",
          sort: "error",
          number: true,
          cell: (graph) => signed(deviation(graph)),
        },
      ]
    : [
        { label: "Predicted", kind: "class", cell: (graph) => clamped(className(graph.predicted)) },
        numberColumn("Probability", "probability", percent),
        graphs.some(hasTruth) && { label: "True", kind: "class", cell: (graph) => clamped(trueClass(graph)) },
        { label: "Outcome", sort: "outcome", cell: outcomeMark },
        numberColumn("Score", "score", decimal),
      ];
  return [
    hasPictures() && {
      label: "Picture",
      unseen: true,
      kind: "thumbnail",
      cell: (graph) => picture(graph.picture, ""),
    },
    { label: "Graph", sort: "id", kind: "name", cell: graphNameCell },
    ...target,
    data.motifs.length > 0 && { label: "Motif", sort: "motif", kind: "motif", cell: graphMotifCell },
    numberColumn("Fidelity +", "fidelity_plus", decimal, "minor"),
    numberColumn("Fidelity −", "fidelity_minus", decimal, "minor"),
  ].filter(Boolean);
}

function clamped(text) {
  return element("span.clamped", null, text);
}

function graphNameCell(graph) {
  const link = element(
    "a",
    { href: address({ graph: graph.index }), "data-open": `graph-${graph.index}` },
    graphName(graph),
  );
  const below = graph.error
    ? element("span.problem", null, graph.error)
    : graph.smiles && element("code", null, graph.smiles);
  return [link, below || null];
}

function graphMotifCell(graph) {
  const motif = data.motifs[graph.motif];
  return motif ? element("a.plain.clamped", { href: address({ motif: motif.index }) }, motifName(motif)) : unknown;
}

function graphList() {
  const items = data.graphs;
  const columns = graphColumns();
  const measure = (key, label, descending) =>
    someKnown(items, (graph) => graph[key]) && { key, label, of: (graph) => graph[key], descending };
  const motifText = (graph) => (data.motifs[graph.motif] ? motifName(data.motifs[graph.motif]) : "");
  const ranks = { wrong: 0, right: 1 };
  const list = {
    name: "graphs",
    heading: "Graphs",
    intro: "Every graph with what the model says of it, and which part of the graph says so.",
    nouns: ["graph", "graphs"],
    items,
    hasPictures: hasPictures(),
    search: "Name, motif or SMILES",
    words: (graph) => `${graphName(graph)}\n${motifText(graph)}`.toLowerCase(),
    smiles: (graph) => graph.smiles ?? "",
    filters: [
      classFilter("predicted", "Predicted", items, (graph) => graph.predicted),
      classFilter("truth", "True", items, (graph) => graph.truth),
      outcomeFilter(),
      motifFilter(),
    ].filter(Boolean),
    sorts: [
      { key: "order", label: "Order in the set", of: (graph) => graph.number },
      { key: "id", label: "Name", of: graphName, text: true },
      { key: "score", label: isNumberTarget() ? "Predicted" : "Score", of: (graph) => graph.score, descending: true },
      measure("probability", "Probability", true),
      measure("true_number", "True", true),
      someKnown(items, deviation) && {
        key: "error",
        label: "Size of the error",
        of: (graph) => (deviation(graph) === null ? null : Math.abs(deviation(graph))),
        descending: true,
      },
      !isNumberTarget() && { key: "outcome", label: "Wrong first", of: (graph) => ranks[outcome(graph)] },
      data.motifs.length > 0 && { key: "motif", label: "Motif", of: motifText, text: true },
      measure("fidelity_plus", "Fidelity +", true),
      measure("fidelity_minus", "Fidelity −", false),
      measure("sparsity", "Sparsity", true),
      measure("node_auc", "Node AUC", true),
      measure("jaccard", "Jaccard index", true),
    ].filter(Boolean),
    frame: () => table(list, columns),
    entry: (graph) => {
      const row = tableRow(columns, graph);
      row.addEventListener("click", (event) => {
        if (!event.target.closest("a")) row.querySelector("a").click();
      });
      return row;
    },
  };
  return list;
}

function anchorList() {
  const items = data.anchors;
  const weights = items.map((anchor) => Math.abs(anchor.weight)).filter(isKnown);
  const largest = Math.max(...weights, Number.MIN_VALUE);
  const columns = [
    { label: "Path", sort: "path", kind: "path", cell: (anchor) => anchor.path },
    { label: "Vertices", sort: "length", number: true, cell: (anchor) => grouped.format(anchor.length) },
    { label: "Similarity", sort: "similarity", number: true, cell: (anchor) => decimal(anchor.similarity) },
    weights.length > 0 && {
      label: "Weight",
      sort: "weight",
      number: true,
      kind: "weight",
      cell: (anchor) => weightBar(anchor.weight, largest),
    },
    items.some((anchor) => anchor.its_class !== undefined) && {
      label: "For class",
      kind: "class",
      cell: (anchor) => clamped(className(anchor.its_class)),
    },
  ].filter(Boolean);
  const list = {
    name: "anchors",
    heading: "What the model has learnt",
    tab: "Anchors",
    intro:
      "The anchors of the first layer, each by the path that it is closest to. " +
      "A similarity of 1 means that the anchor is that path" +
      (weights.length > 0 ? `; the weight is ${data.anchor_weights || "that of the linear model"}.` : "."),
    nouns: ["anchor", "anchors"],
    items,
    search: "Path",
    words: (anchor) => anchor.path.toLowerCase(),
    smiles: (anchor) => anchor.path,
    filters: [],
    sorts: [
      { key: "order", label: "Order in the model", of: (anchor) => anchor.index },
      weights.length > 0 && { key: "weight", label: "Weight", of: (anchor) => anchor.weight, descending: true },
      { key: "similarity", label: "Similarity", of: (anchor) => anchor.similarity, descending: true },
      { key: "length", label: "Vertices", of: (anchor) => anchor.length, descending: true },
      { key: "path", label: "Path", of: (anchor) => anchor.path, text: true },
    ].filter(Boolean),
    frame: () => table(list, columns),
    entry: (anchor) => tableRow(columns, anchor),
  };
  return list;
}

function weightBar(weight, largest) {
  if (!isKnown(weight)) return unknown;
  const bar = element(`span.weight-bar.${weight < 0 ? "against" : "for"}`, { "aria-hidden": "true" });
  bar.style.setProperty("--share", Math.abs(weight) / largest);
  return [bar, element("span", null, signed(weight))];
}

// The list's items in an order, remembered: a search then only filters.
const orders = new Map();
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function ordered(list, sort, descending) {
  const key = `${list.name} ${sort.key} ${descending}`;
  if (!orders.has(key)) {
    const sign = descending ? -1 : 1;
    const rows = list.items.map((item) => ({ item, value: sort.of(item) }));
    const compare = sort.text
      ? (a, b) => sign * collator.compare(a.value, b.value)
      : (a, b) => sign * (a.value - b.value);
    const known = rows.filter(({ value }) => sort.text || isKnown(value)).sort(compare);
    const rest = rows.filter(({ value }) => !sort.text && !isKnown(value));
    orders.set(
      key,
      [...known, ...rest].map(({ item }) => item),
    );
  }
  return orders.get(key);
}

// What a list shows: `wanted` has the search q, the sort, its direction and the values of the filters, "" where not set.
function choose(list, wanted) {
  list.texts ??= list.items.map((item) => ({ words: list.words(item), smiles: list.smiles(item) }));
  const terms = wanted.q.split(/\s+/).filter(Boolean);
  const filters = list.filters.filter((filter) => wanted[filter.key] !== "");
  return ordered(list, ...sorting(list, wanted)).filter(
    (item) =>
      filters.every((filter) => filter.passes(item, wanted[filter.key])) &&
      terms.every((term) => {
        const { words, smiles } = list.texts[item.index];
        return words.includes(term.toLowerCase()) || smiles.includes(term);
      }),
  );
}

// The sort that is wanted, and whether it goes down.
function sorting(list, wanted) {
  const sort = list.sorts.find(({ key }) => key === wanted.sort) ?? list.sorts[0];
  return [sort, wanted.direction === "" ? Boolean(sort.descending) : wanted.direction === "down"];
}
