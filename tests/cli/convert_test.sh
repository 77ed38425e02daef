#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gckn convert: from every format to every other, and back to the same vectors.
. "$(dirname "$0")/support.sh"
printf '%s\n' \
  '{"id": "a", "num_nodes": 3, "edges": [[0, 1], [1, 2]], "node_labels": ["C", "N", "C"], "node_attributes": [[0.5], [2], [3]], "edge_labels": [1, 2], "target": "yes"}' \
  '{"id": "b", "num_nodes": 2, "edges": [[0, 1]], "node_labels": ["N", "N"], "node_attributes": [[1], [0.25]], "edge_labels": [1], "target": "no"}' \
  '{"id": "c", "num_nodes": 4, "edges": [[0, 1], [0, 2], [0, 3]], "node_labels": ["C", "O", "C", "N"], "node_attributes": [[1], [1], [1], [7]], "edge_labels": [1, 1, 2], "target": "yes"}' \
  >all.jsonl
vectors=(--filters 4 --path-length 2 --arch path --features labels+attributes --edge-labels --quiet)
passes embed all.jsonl --save-network all.gckn "${vectors[@]}"
passes embed all.jsonl --model all.gckn --out all.npy

passes convert all.jsonl --out all.json
check 'the format goes by the name' grep -q '(node-link)' stdout
passes convert all.jsonl --out MYSET
check 'a TU folder' test -s MYSET/MYSET_A.txt
check 'says what it cannot hold' grep -q 'warning: tu cannot hold: ids' stderr
for converted in all.json MYSET; do
  passes embed $converted --model all.gckn --out again.npy
  check "$converted has the same vectors" cmp all.npy again.npy
  passes convert $converted --out back.jsonl
  check "$converted is the same again" cmp <(sed 's/"id": "[^"]*", //' all.jsonl) \
    <(sed 's/"id": "[^"]*", //' back.jsonl)
done
passes convert all.json --out back.jsonl
check 'ids too' cmp all.jsonl back.jsonl
passes convert all.jsonl --out all.txt --json
check 'GIN holds less' grep -q '"edge labels"' stdout
passes info all.txt
check 'but the graphs' grep -q 'all: 3 graphs' stdout
passes convert all.txt --out gin.jsonl
check 'and their nodes' test "$(grep -o '"num_nodes": [0-9]' gin.jsonl | tr -d '\n')" = \
  '"num_nodes": 3"num_nodes": 2"num_nodes": 4'

# As networkx.node_link_data writes rings of 3 to 7 nodes with labels, weights of edges and a target.
python3 - <<'END'
import json
graphs = []
for n in range(3, 8):
    graphs.append({"directed": False, "multigraph": False, "graph": {"target": n % 2},
                   "nodes": [{"label": "CNO"[u % 3], "id": u} for u in range(n)],
                   "edges": [{"weight": 0.5 * u, "source": u, "target": (u + 1) % n} for u in range(n)]})
json.dump(graphs, open("networkx.json", "w"), indent=1)
END
passes info networkx.json
check 'what networkx writes' grep -q 'networkx: 5 graphs' stdout
check 'its numbers are attributes' grep -q 'edge attributes .*1 column' stdout
check 'its labels are labels' grep -q 'node labels .*3 values: C (10), N (8), O (7)' stdout
printf '[{"nodes": [{"id": "x", "label": "C"}, {"id": 7, "label": "N"}],\n "links": [{"source": 7, "target": "x"}]}]' >links.json
passes convert links.json --out links.jsonl
check 'a list, links, and any ids' grep -q '"num_nodes": 2, "edges": \[\[0, 1\]\], "node_labels": \["C", "N"\]' links.jsonl

printf '{"nodes": [{"id": 1}, {"id": 1}], "edges": []}' >bad.json
refuses 3 'bad.json: graph 1: nodes[1]: the id 1 is there twice' convert bad.json --out never.jsonl
printf '{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 2}]}' >bad.json
refuses 3 'bad.json: graph 1: edges[0]: there is no node 2' convert bad.json --out never.jsonl
printf '{"nodes": [{"id": 1, "colour": "red"}], "edges": []}' >bad.json
refuses 3 'nodes[0]: "colour" is "red", which is no number: only "label" may be a text' convert bad.json --out never.jsonl
printf '{"nodes": [{"id": 1, "x": 1}, {"id": 2}], "edges": []}' >bad.json
refuses 3 'nodes[1] has other keys than nodes[0]' convert bad.json --out never.jsonl
printf '[{"nodes": [{"id": 1}], "edges": []}, {"nodes": 3}]' >bad.json
refuses 3 'bad.json: graph 2: "nodes" is 3, where a list belongs' convert bad.json --out never.jsonl
printf '[{"nodes": [{"id": 1, "x": 1}]}, {"nodes": [{"id": 1, "y": 1}]}]' >bad.json
refuses 3 'bad.json: graph 2: nodes: the attributes are y, and those of graphs before x' convert bad.json --out never.jsonl
printf '{"nodes": %s' "$(printf '[%.0s' $(seq 100))" >bad.json
refuses 3 'bad.json: nested more than 64 levels deep' convert bad.json --out never.jsonl
printf '{"nodes": [' >bad.json
refuses 3 'bad.json: not JSON' convert bad.json --out never.jsonl
refuses 3 'MYSET: is there already; a TU set is a new folder' convert all.jsonl --out MYSET
refuses 2 '--out never.xml: the name does not say the format' convert all.jsonl --out never.xml
refuses 2 "the format 'xml' is unknown: choose one of jsonl, tu, gin, node-link" convert all.jsonl --out never --to xml
refuses 2 'which is read as DATA' convert all.jsonl --out ./all.jsonl
refuses 2 '--out -: graphs are written to a file, give its name' convert all.jsonl --out - --to jsonl
printf '{"num_nodes": 1, "edges": [], "target": 1}\n{"num_nodes": 1, "edges": [], "target": null}\n' >missing.jsonl
refuses 3 'missing: graph 1 has no target, and this format cannot say so' convert missing.jsonl --out never
nothing_is_left 'of conversions that failed'
check 'no folder either' test -z "$(find . -name '.never*')"

# Words that files of names could misread, and folders that others have made.
printf '%s\n' '{"num_nodes": 4, "edges": [[0, 1]], "node_labels": ["=A", " x ", "#", "\"q"], "edge_labels": ["a\nb"], "target": ""}' \
  '{"num_nodes": 1, "edges": [], "node_labels": ["A"], "edge_labels": [], "target": "b"}' >odd.jsonl
mkdir .ODD.tmp && echo mine >.ODD.tmp/kept
passes convert odd.jsonl --out ODD
passes convert ODD --out again.jsonl
check 'odd words survive TU' cmp odd.jsonl again.jsonl
check 'nobody else lost a file' test -s .ODD.tmp/kept
check 'no temporary folder is left' test -z "$(find . -name '.gckn-*')"
ln -s nowhere LINK
refuses 3 'LINK: is there already' convert odd.jsonl --out LINK
printf '{"target": {"nodes": 1}, "num_nodes": 1, "edges": []}\n' >target.jsonl
passes info target.jsonl
check 'a target called nodes is no node-link' grep -q 'nodes: 1 to 1' stdout
python3 -c 'import json
print(json.dumps({"graph": {"v%d" % i: i for i in range(20000)}, "nodes": [{"id": 0}], "edges": []}))' >wide.json
passes info wide.json
check 'however late the key' grep -q 'graph attributes *20,000 columns' stdout
printf '{"num_nodes": 1, "edges": []}\n' >nothing.jsonl
passes convert nothing.jsonl --out nothing.txt
check 'GIN makes a class of nothing, and says so' grep -q 'that there are no targets' stderr
printf '{"num_nodes": 2, "edges": [[0, 1], [1, 0]], "edge_labels": ["a", "b"]}\n' >two.jsonl
refuses 3 'edge label b contradicts label a' info two.jsonl

# Several sets in one zip.
mkdir two && cp -r MYSET two/A && (cd two/A && for f in MYSET_*; do mv "$f" "A_${f#MYSET_}"; done)
cp two/A/A_A.txt two/B_A.txt && cp two/A/A_graph_indicator.txt two/B_graph_indicator.txt && cp two/A/* two/
refuses 3 'two: holds several TU sets: A, B; name one of them, as in two:A' info two
passes info two:B
check 'the one that was named' grep -q '^B: 3 graphs' stdout
refuses 3 'two: holds no set called C; there is A, B' info two:C
(cd two && python3 -c 'import glob, zipfile
with zipfile.ZipFile("../data.zip", "w") as z:
  for f in glob.glob("*.txt"): z.write(f)')
refuses 3 'name one of them, as in data.zip:A' info data.zip
passes embed data.zip:A --model all.gckn --out zip.npy
check 'of a zip' cmp zip.npy all.npy
refuses 2 'which is read as DATA' embed data.zip:A --save-network ./data.zip

finished=yes
