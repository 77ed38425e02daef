// SPDX-License-Identifier: BSD-3-Clause
// The open view: one motif with the graphs it was found in, or one graph with all its numbers. page.js puts it into the
// dialog.
"use strict";

// [name, value, what it means]; rows without a value are left out.
function numbers(rows) {
  return element(
    "dl.numbers",
    null,
    rows
      .filter(Boolean)
      .map(([name, value, meaning]) =>
        element(
          "div",
          null,
          element("dt", null, name, meaning ? element("small", null, meaning) : null),
          element("dd", null, value),
        ),
      ),
  );
}

function scoreWord() {
  return isNumberTarget() ? "number" : "score";
}

function smilesRow(smiles) {
  if (!smiles) return null;
  const said = element("span.copied", { role: "status" });
  const text = element("code", null, smiles);
  const row = element("div.smiles", null, element("h3", null, "SMILES"), text);
  const copy = async () => {
    const copied = await copyText(smiles, row);
    if (!copied) getSelection().selectAllChildren(text);
    said.textContent = copied ? "Copied" : "Selected: press Ctrl+C";
  };
  row.append(element("div", null, element("button.quiet", { type: "button", onclick: copy }, "Copy SMILES"), said));
  return row;
}

function openMotif(motif) {
  const found = element("ul.thumbnails", { role: "list" });
  const graphs = motif.graphs.map((index) => data.graphs[index]);
  const more = growing(found, graphs, (graph) => foundGraph(motif, graph));
  const inList = () =>
    element(
      "a.button",
      { href: address({ tab: "graphs", wanted: { ...emptyWanted("graphs"), in: String(motif.index) } }) },
      "Sort and filter them",
    );
  return element(
    "div",
    null,
    element(
      "div.halves",
      null,
      hasPictures() &&
        element("div", null, picture(motif.picture, `Drawing of the motif ${motifName(motif)}`), legend()),
      element(
        "div",
        null,
        numbers([
          motif.explained_class !== undefined && ["Explains", classTag(motif.explained_class)],
          ["Graphs", grouped.format(motif.graphs.length)],
          ["Mean contribution", signed(motif.contribution), `how much lower the ${scoreWord()} is without it`],
          isKnown(motif.enrichment) && [
            "Enrichment",
            enrichment(motif),
            "how much more frequent it is in graphs of its class than in others",
          ],
          isKnown(motif.nodes) && ["Nodes", grouped.format(motif.nodes)],
        ]),
        motif.share_by_class && [
          element("h3", null, "Share of the graphs of each class that contain it"),
          shareBars(motif, Number.POSITIVE_INFINITY),
        ],
        smilesRow(motif.smiles),
      ),
    ),
    element(
      "div.found-head",
      null,
      element("h3", null, `Found in ${counted(graphs.length, "graph", "graphs")}`),
      graphs.length > 1 && inList(),
    ),
    found,
    more,
  );
}

function foundGraph(motif, graph) {
  const said = isNumberTarget()
    ? [decimal(graph.score)]
    : [className(graph.predicted), isKnown(graph.probability) ? ` ${percent(graph.probability)}` : null];
  return element(
    "li.card",
    null,
    hasPictures() && picture(graph.picture, ""),
    element(
      "div.card-text",
      null,
      element("a.cover.clamped", { href: address({ motif: motif.index, graph: graph.index }) }, graphName(graph)),
      element("span.said", null, said),
      isNumberTarget() ? null : outcomeMark(graph),
    ),
  );
}

function openGraph(graph) {
  const motif = data.motifs[graph.motif];
  const measure = (key, name, meaning, show = decimal) => isKnown(graph[key]) && [name, show(graph[key]), meaning];
  const target = isNumberTarget()
    ? [
        ["Predicted", decimal(graph.score)],
        measure("true_number", "True"),
        isKnown(deviation(graph)) && ["Error", signed(deviation(graph))],
      ]
    : [
        ["Predicted", className(graph.predicted)],
        measure("probability", "Probability", null, percent),
        ["True", trueClass(graph)],
        ["Outcome", outcomeMark(graph)],
        measure("score", "Score"),
      ];
  return element(
    "div.halves",
    null,
    hasPictures() &&
      element("div", null, picture(graph.picture, `Drawing of ${graphName(graph)} with its explanation`), legend()),
    element(
      "div",
      null,
      graph.error && element("p.problem", null, `There is no explanation: ${graph.error}`),
      numbers([
        graph.id && ["Number", grouped.format(graph.number), "in the set, from 0"],
        ...target,
        measure("fidelity_plus", "Fidelity +", `how much lower the ${scoreWord()} is without the motif`),
        measure("fidelity_minus", "Fidelity −", `how much lower it is with the motif only`),
        measure("sparsity", "Sparsity", "part of the graph outside the motif"),
        measure("node_auc", "Node AUC", "node scores against the known answer"),
        measure("jaccard", "Jaccard index", "selected nodes against the known answer"),
      ]),
      motif && motifLink(motif),
      smilesRow(graph.smiles),
    ),
  );
}

function motifLink(motif) {
  return element(
    "div.card.wide",
    null,
    hasPictures() && picture(motif.picture, ""),
    element(
      "div.card-text",
      null,
      element("h3", null, "Its motif"),
      element("a.cover", { href: address({ motif: motif.index }) }, motifName(motif)),
      element("span.said", null, `in ${counted(motif.graphs.length, "graph", "graphs")}`),
    ),
  );
}
