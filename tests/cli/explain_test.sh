#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gckn explain: what carries a prediction, as files, figures and a page.
. "$(dirname "$0")/support.sh"
make_motif_set
"$gckn" train motif.jsonl --filters 8 --path-length 2 --pooling sum --out model.gckn --quiet || fail 'no model to test with'
head -n 8 motif.jsonl >few.jsonl

# has_keys FILE KEY...: every line has these keys.
has_keys() {
  local file=$1 key
  shift
  for key; do [ "$(grep -c "\"$key\":" "$file")" = "$(wc -l <"$file")" ] || return 1; done
}

# shares_add_up FILE: shares of nodes and paths are the score minus that of the empty graph. In Python, where there is one.
shares_add_up() {
  command -v python3 >/dev/null || return 0
  python3 - "$1" <<'END'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
assert lines
for line in lines:
    whole = line["score"] - line["empty_score"]
    assert abs(sum(line["node_scores"]) - whole) < 1e-6 * max(1, abs(whole))
    assert abs(sum(path["value"] for path in line["paths"]) - whole) < 1e-6 * max(1, abs(whole))
    assert len(line["edges"]) == len(line["edge_scores"])
    assert set(sum(line["motif"]["edges"], [])) <= set(line["motif"]["nodes"])
END
}

# begins_with_enriched FILE: the motifs of --json go by their enrichment, whose sign is that of the shares. In Python, too.
begins_with_enriched() {
  command -v python3 >/dev/null || return 0
  python3 - "$1" <<'END'
import json, sys
motifs = json.load(open(sys.argv[1]))["motifs"]
values = [motif["enrichment"] for motif in motifs]
assert values[0] > 0 and values == sorted(values, reverse=True)
for motif in motifs:
    own = int(motif["class"])
    assert (motif["enrichment"] > 0) == (motif["share_by_class"][own] > motif["share_by_class"][1 - own])
END
}

# A whole set.
passes explain model.gckn motif.jsonl --out whole --no-pictures
check 'says what was explained and how' grep -q '^Explained 60 predictions of target (exact)' stdout
check 'and how well' test "$(grep -Ec '^  (fidelity\+|fidelity-|sparsity|Jaccard|node AUC) ' stdout)" = 5
check 'and by what' grep -Eq 'kinds of motifs, the 10 that tell the classes apart best:' stdout
check 'which is said of each' test "$(grep -Ec '^ +[0-9]+ graphs?  .* for class [01]: .*; in .* % of 0, .* % of 1, enrichment [+-]' stdout)" = 10
check 'and where to look' grep -q 'open whole/index.html in a browser' stdout
check 'a line for each graph, in order' cmp <(grep -o '^{"graph":[0-9]*' whole/explanations.jsonl | cut -d: -f2) <(seq 0 59)
check 'of these keys' has_keys whole/explanations.jsonl graph id predicted probability truth score empty_score method \
  node_scores edges edge_scores motif
check 'no pictures' test ! -e whole/pictures
check 'nothing half-written' test "$(ls whole | tr '\n' ' ')" = 'explanations.jsonl index.html '
passes explain model.gckn motif.jsonl --out whole --no-pictures --json
check 'JSON of explain' is_json
for key in jaccard node_auc fidelity_plus fidelity_minus sparsity; do
  check "$key of the set" grep -Eq "\"$key\": -?[0-9]" stdout
done
check 'the first motifs tell the classes apart' begins_with_enriched stdout
check 'the method of the set' grep -q '"method": "exact"' stdout
passes explain model.gckn few.jsonl --out quiet --no-pictures --quiet
check 'quiet' test ! -s stdout -a ! -s stderr
"$gckn" explain model.gckn - --out piped --no-pictures --quiet <motif.jsonl >stdout 2>stderr
check 'from standard input' cmp whole/explanations.jsonl piped/explanations.jsonl

# Some graphs, and more of them.
passes explain model.gckn motif.jsonl --graph 7 --graph 3 --paths --all-components --out some
check 'these graphs, in this order' test "$(grep -o '^{"graph":[0-9]*' some/explanations.jsonl | cut -d: -f2 | tr '\n' ' ')" = '7 3 '
check 'a picture of each' test "$(ls some/pictures | tr '\n' ' ')" = '3.svg 7.svg '
check 'as SVG' test "$(grep -l '<svg' some/pictures/*.svg | wc -l)" = 2
check 'all parts and paths' has_keys some/explanations.jsonl components paths
passes explain model.gckn motif.jsonl --graph 5 --out some
check 'pictures of an earlier run are gone' test "$(ls some/pictures)" = 5.svg
passes explain model.gckn motif.jsonl --graph 7 --graph 3 --paths --all-components --no-pictures --out some
check 'and all of them without pictures' test ! -e some/pictures
check 'only if asked for' test "$(grep -Ec '"(components|paths)":' whole/explanations.jsonl)" = 0
check 'a page of its own' grep -q '<script id="data" type="application/json"' some/index.html
check 'that needs no network' test "$(grep -Ec '(src|href)="?https?:' some/index.html)" = 0
check 'the same graph in the whole set' cmp <(sed -n 8p whole/explanations.jsonl | grep -o '"node_scores":[^]]*') \
  <(head -n 1 some/explanations.jsonl | grep -o '"node_scores":[^]]*')
mkdir -p some/pictures/album
touch some/pictures/1.jpg some/pictures/album/1.svg
passes explain model.gckn motif.jsonl --graph 5 --out some
passes explain model.gckn motif.jsonl --graph 5 --out some --no-pictures
check 'what is not ours stays' test "$(cd some/pictures && find . -type f | sort | tr '\n' ' ')" = './1.jpg ./album/1.svg '

# Methods.
for method in exact gradient masks occlusion; do
  paths=--paths
  [ "$method" != occlusion ] || paths=--all-components  # it knows no paths
  passes explain model.gckn few.jsonl --method "$method" $paths --out "$method" --no-pictures
  check "$method is said" test "$(grep -c "\"method\":\"$method\"" "$method/explanations.jsonl")" = 8
done
check 'exact shares add up' shares_add_up exact/explanations.jsonl
check 'and so do gradients' shares_add_up gradient/explanations.jsonl
check 'masks say how they were found' has_keys masks/explanations.jsonl minimisation
check 'others do not' test "$(grep -c minimisation exact/explanations.jsonl)" = 0
passes explain model.gckn few.jsonl --method masks --most-steps 1 --out steps --no-pictures
check 'masks that did not converge are told' grep -q 'did not converge in the steps allowed (--most-steps)' stdout
passes explain model.gckn few.jsonl --method masks --mu 1000 --out dear --no-pictures
check 'paths that cost too much leave no motif' grep -q 'Note: in 8 graphs .* no motif' stdout
passes explain model.gckn few.jsonl --select 0.9 --out strict --no-pictures --json
strict=$(grep -o '"sparsity": [0-9.]*' stdout | cut -d' ' -f2)
passes explain model.gckn few.jsonl --select 0 --out lax --no-pictures --json
check 'less stands out above more' test "$(echo "$strict $(grep -o '"sparsity": [0-9.]*' stdout | cut -d' ' -f2)" |
  awk '{ print ($1 > $2) }')" = 1
"$gckn" train motif.jsonl --filters 4 --path-length 1 --pooling gmp --out gmp.gckn --quiet
"$gckn" train motif.jsonl --filters 4 --path-length 1 --pooling sum --global-pooling max --out max.gckn --quiet
passes explain gmp.gckn few.jsonl --out gmp --no-pictures
check 'auto with gmp' grep -q '(occlusion)' stdout
passes explain max.gckn few.jsonl --out max --no-pictures
check 'auto with max over nodes' grep -q '(gradient)' stdout
refuses 2 'method masks: generalised max pooling (gmp) can be explained by occlusion only' \
  explain gmp.gckn few.jsonl --method masks --out never
refuses 2 'only with sum or mean over the nodes of a graph, and this model has max; take gradient' \
  explain max.gckn few.jsonl --method exact --out never

# What is chosen by default has a Gaussian head, and all but both parts at once can have masks.
"$gckn" train motif.jsonl --compare states --head gaussian --path-length 2 --out states.gckn --quiet
"$gckn" train motif.jsonl --compare both --head gaussian --filters 8 --path-length 1 --out both.gckn --quiet
for model in states both; do
  passes explain $model.gckn few.jsonl --out $model --paths
  check "auto with a Gaussian head on $model" grep -q '(exact)' stdout
  check "shares of $model add up" shares_add_up $model/explanations.jsonl
  check "a page of $model" test -s $model/index.html
  passes info $model.gckn
  check "the head of $model is said" grep -q 'head  *Gaussian, of the distances to [0-9]* training graphs of' stdout
  check "and that it compares states" grep -q 'compares  *states of nodes' stdout
done
passes explain states.gckn few.jsonl --method masks --out masks-of-states --no-pictures
refuses 2 'method masks: the paths of states and those of the network would both have masks' \
  explain both.gckn few.jsonl --method masks --out never
passes explain states.gckn
check 'states have no anchors' grep -q 'compares states of nodes, and has no anchors' stdout

# Fidelity is what predict says of a graph without its motif.
if command -v python3 >/dev/null; then
  python3 - <<'END'
import json
graphs = [json.loads(line) for line in open("few.jsonl")]
with open("reduced.jsonl", "w") as reduced:
    for line in map(json.loads, open("exact/explanations.jsonl")):
        graph = graphs[line["graph"]]
        kept = [u for u in range(graph["num_nodes"]) if u not in line["motif"]["nodes"]]
        edges = [[kept.index(u), kept.index(v)] for u, v in graph["edges"] if u in kept and v in kept]
        labels = [graph["node_labels"][u] for u in kept]
        print(json.dumps({"num_nodes": len(kept), "edges": edges, "node_labels": labels}), file=reduced)
END
  passes predict model.gckn reduced.jsonl --out reduced.csv
  check 'fidelity+ is what predict says without the motif' python3 -c '
import csv, json
for line, other in zip(map(json.loads, open("exact/explanations.jsonl")), csv.DictReader(open("reduced.csv")), strict=True):
    sign = 1 if line["predicted"] == "1" else -1
    assert abs(line["score"] - line["fidelity"]["score_without"] - sign * float(other["score"])) < 1e-3
    assert line["fidelity"]["class_changes_without"] == (other["label"] != line["predicted"])'
fi

# Same bytes on any number of threads.
for method in exact masks occlusion; do
  passes explain model.gckn few.jsonl --method "$method" --all-components --graph 0 --graph 1 --graph 5 --out one --threads 1
  passes explain model.gckn few.jsonl --method "$method" --all-components --graph 0 --graph 1 --graph 5 --out three --threads 3
  check "same bytes for 1 and 3 threads ($method)" diff -r one three
done

# Numbers, several targets, three classes, attributes.
make_numbers_set
"$gckn" train numbers.jsonl --filters 4 --path-length 1 --out numbers.gckn --quiet || fail 'no model of numbers'
refuses 2 'the model has 2 targets: name the one to be explained (--target)' explain numbers.gckn numbers.jsonl --out never
refuses 2 '--target x: the model has ' explain numbers.gckn numbers.jsonl --target x --out never
first=$("$gckn" explain numbers.gckn --target x 2>&1 | sed 's/.*the model has \([^,]*\),.*/\1/')
passes explain numbers.gckn numbers.jsonl --target "$first" --out numbers --no-pictures
check 'a number has no class' test "$(grep -c '"predicted"' numbers/explanations.jsonl)" = 0
check 'its motifs go by their graphs' test "$(grep -c 'enrichment' stdout)" = 0
passes explain numbers.gckn numbers.jsonl --target "$first" --out numbers --no-pictures --json
check 'and have no enrichment' grep -q '"enrichment": null' stdout
passes explain numbers.gckn numbers.jsonl --target "$first" --out numbers --no-pictures
check 'its fidelity is a distance' grep -q 'is how far predictions move without the motif' stdout
sed '1~3s/"target": [01]/"target": 2/' motif.jsonl >classes.jsonl
"$gckn" train classes.jsonl --filters 4 --path-length 1 --out classes.gckn --quiet
passes explain classes.gckn classes.jsonl --paths --out classes --no-pictures
check 'shares of one class among three' shares_add_up classes/explanations.jsonl
sed 's/"node_labels": \[\([^]]*\)\]/"node_attributes": [[\1]]/; :a; s/\("node_attributes": \[[^"]*[0-9]\), \([0-9]\)/\1], [\2/; ta' \
  motif.jsonl >attributes.jsonl
"$gckn" train attributes.jsonl --filters 4 --path-length 1 --out attributes.gckn --quiet
passes explain attributes.gckn attributes.jsonl --graph 0 --out attributes
passes explain attributes.gckn
check 'attributes have no names' grep -q 'read attributes, so there are no paths to name them by' stdout

# What the model has learnt.
passes explain model.gckn
check 'anchors by their paths' test "$(grep -Ec '^  +[0-9.]+  [0-3] – [0-3] – [0-3]$' stdout)" = 8
"$gckn" train motif.jsonl --arch path --filters 4 --path-length 1 --pooling sum --out path.gckn --quiet
passes explain path.gckn --json
check 'JSON of anchors' is_json
check 'with weights where paths add up' test "$(grep -c '"weight":' stdout)" = 4
check 'and what they are' grep -q '"weights_are": "what one such path adds to the score of class 1 against class 0' stdout

# Odd graphs.
printf '{"num_nodes": 0, "edges": []}\n{"num_nodes": 2, "edges": [], "node_labels": [0, 1]}\n' >odd.jsonl
passes explain model.gckn odd.jsonl --out odd
check 'empty ones have a line, too' test "$(grep -c '"score":' odd/explanations.jsonl)" = 2
passes explain model.gckn few.jsonl --max-paths 1 --out many
check 'graphs of too many paths are listed' test "$(grep -c '"error":"more than 1 paths' many/explanations.jsonl)" = 8
check 'and told' grep -q 'Note: 8 graphs could not be explained' stdout
sed 's/"node_labels": \[[0-9]/"node_labels": [77/' few.jsonl >strange.jsonl
sed 's/"target": [01]/"target": 5/' few.jsonl >foreign.jsonl
passes explain model.gckn foreign.jsonl --out foreign --no-pictures
check 'classes that the model does not know are told' grep -q 'Note: 8 graphs are of a class that the model does not know' stdout
check 'and predicted wrongly' test "$(grep -c Jaccard stdout)" = 0
check 'but shown' grep -q '"strange_class":"5"' foreign/index.html
passes explain model.gckn strange.jsonl --out strange --no-pictures
check 'labels that the model has not seen are told' grep -q 'nodes have labels that the model has not seen (77)' stdout stderr

# Names that are HTML.
sed 's|^{|{"id": "</script><img src=x onerror=alert(1)>\\n\\u0000\\"", |' few.jsonl >hostile.jsonl
printf '0 <b>zero</b>\n1 <img src=y>\n2 a&b"\n3 </svg>\n' >names.txt
passes explain model.gckn hostile.jsonl --label-names names.txt --out hostile
check 'ids are escaped in the page' test "$(grep -Fc '<img src=x' hostile/index.html)" = 0
check 'and there' grep -q 'img src=x onerror' hostile/index.html
check 'names of labels, too' test "$(grep -Fc -e '<b>zero' -e '<img src=y' hostile/index.html)" = 0
check 'also in pictures' test "$(cat hostile/pictures/*.svg | grep -Fc -e '<b>zero' -e '<img src=y')" = 0
check 'a line each' test "$(wc -l <hostile/explanations.jsonl)" = 8
check 'no NUL' cmp hostile/index.html <(tr -d '\0' <hostile/index.html)

# Errors.
refuses 2 'MODEL is required (see gckn explain --help)' explain
refuses 2 '--out DIR is required with DATA' explain model.gckn motif.jsonl
refuses 2 '--out: without DATA there is nothing to explain' explain model.gckn --out never
refuses 2 '--paths: without DATA there is nothing to explain' explain model.gckn --paths
mkdir drawn && touch drawn/pictures
refuses 2 '--out drawn/pictures: is a file, and explanations go to a folder' explain model.gckn motif.jsonl --out drawn
rm -r drawn
refuses 2 '--out -: explanations go to a folder, give its name' explain model.gckn motif.jsonl --out -
refuses 2 '--out motif.jsonl: is a file, and explanations go to a folder' explain model.gckn motif.jsonl --out motif.jsonl
refuses 3 'cannot write no/never: the folder no does not exist' explain model.gckn motif.jsonl --out no/never
mkdir taken && cp motif.jsonl taken/explanations.jsonl
refuses 2 'would overwrite taken/explanations.jsonl, which is read as DATA' \
  explain model.gckn taken/explanations.jsonl --out taken
refuses 2 '--paths: occlusion leaves out nodes and edges, and knows no paths' \
  explain model.gckn few.jsonl --method occlusion --paths --out never
refuses 2 '--graph 3: is named twice' explain model.gckn few.jsonl --graph 3 --graph 3 --out never
refuses 2 "method 'guess' is unknown: choose one of auto, exact, gradient, masks, occlusion" \
  explain model.gckn motif.jsonl --method guess --out never
refuses 2 'mu must not be negative' explain model.gckn motif.jsonl --method masks --mu -1 --out never
refuses 2 'at least 0 and below 1' explain model.gckn motif.jsonl --select 1 --out never
refuses 2 'at least 0 and below 1' explain model.gckn motif.jsonl --method masks --select-weight -1 --out never
refuses 2 'masks need one step at the least' explain model.gckn motif.jsonl --method masks --most-steps 0 --out never
for option in '--mu 0.1' '--select-weight 0.2' '--most-steps 5'; do
  # shellcheck disable=SC2086 # two words
  refuses 2 "${option% *} goes with --method masks only" explain model.gckn few.jsonl $option --out never
done
refuses 2 '--select goes with all methods but masks, which have --select-weight' \
  explain model.gckn few.jsonl --method masks --select 0.3 --out never
refuses 2 '--graph: expected a whole number from 0, found "-1"' explain model.gckn motif.jsonl --graph -1 --out never
refuses 3 '--graph 60: there are 60 graphs, numbered from 0' explain model.gckn motif.jsonl --graph 60 --out never
refuses 3 'is no gckn model: it looks like JSON lines; the order is: gckn explain MODEL DATA' \
  explain motif.jsonl model.gckn --out never
make_plain_set
refuses 3 "plain has no node labels, which the features 'labels' need" explain model.gckn plain.jsonl --out never
refuses 3 'no-such-file.jsonl: no such file or folder' explain model.gckn no-such-file.jsonl --out never
printf '{"num_nodes": 1, "edges": [], "node_labels": [0], "truth": [[1]]}\n' >truth.jsonl
refuses 3 'truth.jsonl:1: truth[0][0]: node 1 is out of range' explain model.gckn truth.jsonl --out never
nothing_is_left 'of failed explanations'
mkfifo silence
interrupt explain model.gckn - --out never <>silence # an input that never comes
check 'says why it ended' grep -qx 'gckn: error: interrupted' stderr

# Molecules: alcohols and ethers.
{
  echo 'name,SMILES,alcohol,truth'
  for i in $(seq 8); do
    chain=$(printf 'C%.0s' $(seq "$i"))
    echo "a$i,${chain}O,1,$i"
    echo "e$i,${chain}OC,0,"
  done
} >set.csv
run info set.csv
if grep -q 'built without' stderr; then
  finished=yes
  exit
fi
"$gckn" train set.csv --filters 8 --path-length 2 --out molecules.gckn --quiet || fail 'no model of molecules'
passes explain molecules.gckn set.csv --out molecules --json
check 'atoms that matter are known' grep -Eq '"jaccard": [0-9]' stdout
check 'all are drawn' test "$(grep -l '<svg' molecules/pictures/*.svg | wc -l)" = 16
check 'SMILES are in the page' grep -q 'CCCCCCCCOC' molecules/index.html
passes explain molecules.gckn --smiles 'CCCO propanol' --smiles '[Na+].[Cl-]' --out single
check 'one molecule' grep -q '"id":"propanol"' single/explanations.jsonl
check 'and another' test "$(ls single/pictures | wc -l)" = 2
check 'atoms that the model has not seen are told' grep -q 'has not seen' stdout stderr
passes explain molecules.gckn
check 'bonds as chemists write them' grep -Eq '[CO] – [CO] – [CO]' stdout
printf 'id,smiles,truth\nx1,CCO,2\nx2,C(,\nx3,CO,7\n' >new.csv
passes explain molecules.gckn new.csv --out new
check 'rows that are no molecule do not stop the others' grep -q '"id":"x1","predicted"' new/explanations.jsonl
check 'and are told' grep -q 'row 2 (x2, line 3): SMILES Parse Error' stderr
check 'as is an atom that is not there' grep -q 'row 3 (x3, line 4): truth: there is no atom 7 among 2 atoms' stderr
passes explain molecules.gckn new.csv --graph 1 --graph 0 --out chosen
check 'nor do they where they are asked for' test "$(grep -o '^{"graph":[01],"id":"x[12]","[a-z]*"' chosen/explanations.jsonl | tr '\n' ' ')" = \
  '{"graph":0,"id":"x1","predicted" {"graph":1,"id":"x2","error" '
passes explain molecules.gckn new.csv --graph 1 --out chosen
check 'even if there is nothing else' grep -q '^{"graph":1,"id":"x2","error"' chosen/explanations.jsonl
refuses 3 'row 2 (x2, line 3)' explain molecules.gckn new.csv --on-error fail --out never --quiet
refuses 2 'DATA excludes --smiles' explain molecules.gckn set.csv --smiles CCO --out never
refuses 3 'motif has no edge labels, which the network was fitted with' explain molecules.gckn motif.jsonl --out never
nothing_is_left 'of molecules that were refused'

finished=yes
