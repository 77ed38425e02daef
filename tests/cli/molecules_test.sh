#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Molecules on the command line: reading, rows that are none, models that know how their molecules were read.
. "$(dirname "$0")/support.sh"

# Alcohols and ethers: 60 molecules of two classes.
{
  echo 'name,SMILES,alcohol'
  for i in $(seq 30); do
    chain=$(printf 'C%.0s' $(seq "$i"))
    echo "a$i,${chain}O,1"
    echo "e$i,${chain}OC,0"
  done
} >set.csv

run info set.csv
if grep -q 'built without' stderr; then
  check 'without RDKit that is said' test "$code" = 3
  finished=yes
  exit
fi
passes info set.csv
check 'what was guessed is said' grep -q "SMILES are in column 'SMILES'; names are in column 'name'; the target is column 'alcohol'" stderr
check 'labels have names' grep -q 'C (' stdout
check 'bonds too' grep -q 'single' stdout
passes info set.csv --quiet
check 'quiet' test ! -s stderr

passes train set.csv --filters 8 --path-length 2 --out model.gckn
check 'bonds are read' grep -q 'Reads of a node its label (2 kinds), of an edge its label (1 kind)' stdout
passes train set.csv --filters 8 --path-length 2 --no-edge-labels --out without.gckn
check 'unless told not to' grep -q 'of an edge nothing' stdout
passes info model.gckn
check 'a model knows names' grep -q 'C, O' stdout
passes cv set.csv --filters 8 --path-length 2 --folds 3
check 'the baseline of chemists' grep -q 'Morgan fingerprints' stdout

# Molecules that are equal, and folds that know of them.
{ cat set.csv; printf 'again,OCC,1\nother,CCCO,0\n'; } >twice.csv
passes info twice.csv
check 'equal molecules are counted' grep -q 'equal graphs      2 graphs have an equal one before them; 2 graphs have equals with another target' stdout
passes cv twice.csv --filters 8 --path-length 2 --folds 3 --no-baselines
check 'and cv tells what that means' grep -q 'have an equal one in the training part of their fold' stdout
passes cv twice.csv --filters 8 --path-length 2 --folds 3 --no-baselines --folds-by equal
check 'unless they stay together' grep -q '; 0 of 62 test graphs have an equal one' stdout
passes cv twice.csv --filters 8 --path-length 2 --folds 3 --no-baselines --drop-duplicates
check 'or are left out' grep -q 'Left out 3 of 62 graphs' stdout
passes train twice.csv --filters 8 --path-length 2 --drop-duplicates --out dropped.gckn
check 'in training too' grep -q 'Learnt from 59 graphs' stdout
{
  echo 'smiles,y'
  for ring in c1ccccc1 C1CCCCC1 C1CCNCC1 c1ccncc1 C1CC1 C1CCC1 c1ccoc1 c1ccsc1; do
    for tail in C CC CCC CCO; do echo "$tail$ring,$((${#tail} % 2))"; done
  done
} >rings.csv
passes cv rings.csv --filters 8 --path-length 2 --folds 2 --no-baselines --folds-by scaffold
make_motif_set
refuses 2 'only molecules have scaffolds' cv motif.jsonl --folds-by scaffold

# Rows that are no molecule.
{
  echo 'id,smiles'
  printf 'x1,CCO\nx2,C(\n\nx4,CC(C)(C)(C)C\nx5,CCOC\n'
} >new.csv
passes predict model.gckn new.csv --out out.csv
check 'a header with a status' grep -qx 'graph,status,label,score,probability' out.csv
check 'rows line up' cmp <(tail -n +2 out.csv | cut -d, -f1) <(printf 'x1\nx2\n2\nx4\nx5\n')
check 'good ones are predicted' grep -Eq '^x1,ok,1,' out.csv
check 'others say why' grep -Eq '^2,empty line,,,$' out.csv
check 'in the words of RDKit' grep -q '^x4,"Explicit valence for atom # 1 C, 5, is greater than permitted",,,$' out.csv
check 'and so does standard error' grep -q 'row 4 (x4, line 5): Explicit valence' stderr
passes predict model.gckn new.csv --on-error skip --out skipped.csv
check 'skipped' cmp <(tail -n +2 skipped.csv | cut -d, -f1) <(printf 'x1\nx5\n')
refuses 3 'row 2 (x2, line 3)' predict model.gckn new.csv --on-error fail --out never.csv --quiet
refuses 3 '(3 rows could not be read); --on-error skip' train new.csv --target-columns id --out never.gckn --quiet
nothing_is_left 'of what was refused'
refuses 2 'it must be fail or skip' train new.csv --on-error blank --out never.gckn
passes predict model.gckn new.csv --out out.csv --json
check 'JSON' is_json
check 'with the errors' grep -q '"reason": "empty line"' stdout
passes embed new.csv --model model.gckn --out vectors.csv
check 'vectors line up' test "$(wc -l <vectors.csv)" = 6
check 'blank ones are empty' grep -Eq '^2,empty line,+$' vectors.csv
passes embed new.csv --filters 2 --path-length 1 --out fitted.csv
check 'also where a network is fitted first' cmp <(cut -d, -f1 vectors.csv) <(cut -d, -f1 fitted.csv)
passes embed new.csv --model model.gckn --out vectors.npy --ids ids.txt
check 'names of all rows' cmp ids.txt <(printf 'x1\nx2\n2\nx4\nx5\n')

printf 'XX a\nYY b\n' >bad.smi
refuses 3 'no row is a molecule' predict model.gckn bad.smi --on-error skip --out never.csv --quiet
passes predict model.gckn bad.smi --out bad.csv
check 'a file of nothing but faults is doubted' grep -q 'no row at all' stderr
passes predict model.gckn set.csv --out truth.csv
check 'the target of a model is known by its name' grep -q '^graph,status,label,score,probability,truth$' truth.csv
printf 'smiles,weight\nCCO,46.07\nCCC,heavy\n' >other.csv
passes predict model.gckn other.csv --out other-out.csv
check 'and other columns are not taken for it' grep -q '^graph,status,label,score,probability$' other-out.csv
refuses 2 'have names already' predict model.gckn new.csv --label-names 6=C --quiet

# One molecule, standard input, packed files.
passes predict model.gckn --smiles 'CCCO propanol' --smiles CCOC
check 'one molecule' grep -Eq '^propanol,ok,1,' stdout
check 'and another' grep -Eq '^1,ok,0,' stdout
refuses 2 'DATA is required' predict model.gckn
"$gckn" predict model.gckn - --quiet <new.csv >stdout 2>stderr
check 'CSV from standard input' cmp out.csv stdout
printf 'CCO x\nCCOC y\n' | "$gckn" predict model.gckn - --quiet >stdout 2>stderr
check 'SMILES from standard input' test "$(cut -d, -f1 stdout | tr '\n' ' ')" = 'graph x y '
printf '[Na+].[Cl-] salt\n' | "$gckn" predict model.gckn - --quiet >stdout 2>stderr
check 'an atom in brackets is no JSON' grep -q '^salt,ok,' stdout
printf 'smiles,IC50 (nM)\nCCO,1\n' | "$gckn" predict model.gckn - --quiet >stdout 2>stderr
check 'a header with brackets' grep -q '^0,ok,' stdout
printf 'CCO\tethanol\n' | "$gckn" predict model.gckn - --quiet >stdout 2>stderr
check 'tabs' grep -q '^ethanol,ok,' stdout
(printf 'smi'; sleep 0.3; printf 'les,id\nCCO,x\n') | "$gckn" predict model.gckn - --quiet >stdout 2>stderr
check 'a pipe in pieces' grep -q '^x,ok,' stdout
passes predict model.gckn --smiles smiles --smiles CCO
check 'a molecule called smiles is a row' test "$(wc -l <stdout)" = 3
passes train set.csv --filters 4 --path-length 1 --json --out model2.gckn
check 'errors in the JSON of all commands' grep -q '"errors"' stdout
gzip -k new.csv
passes predict model.gckn new.csv.gz --out packed.csv
check 'gzip' cmp packed.csv out.csv
head -c 40 new.csv.gz >cut.csv.gz
refuses 3 'damaged or truncated' predict model.gckn cut.csv.gz --out never.csv --quiet
nothing_is_left 'of a truncated file'

# A model reads new molecules as it read the first.
passes train set.csv --filters 8 --path-length 2 --atoms rich --hydrogens --out rich.gckn
passes info rich.gckn
check 'rich atoms' grep -q 'CH3' stdout
passes predict rich.gckn new.csv --out rich.csv
check 'without being told' test "$(grep -c ',ok,' rich.csv)" = 2
refuses 2 'read otherwise (rich, with hydrogens)' predict rich.gckn new.csv --atoms element --quiet

# Rows that are no molecule in files of vectors, and options that are for molecules only.
passes embed new.csv --model rich.gckn --out new.npy --ids new.txt
passes nearest rich.gckn new.npy --ids new.txt set.csv --k 2 --out found.csv
check 'rows without a graph are passed over' grep -q 'passed over: rows that were no graphs' stderr
check 'and never found' test "$(tail -n +2 found.csv | cut -d, -f3 | sort -u | wc -l)" = 2
"$gckn" datasets make motif --out motif.jsonl --graphs 10 --seed 7 --quiet
passes info motif.jsonl --hydrogens --smiles-column x
check 'what has no effect is said' grep -q -e '--smiles-column, --hydrogens: no effect on motif.jsonl' stderr

# Which atoms matter.
printf 'id,smiles,y,truth\na,CCO,1,2\nb,CCC,0,\nc,CO,1,0|1\n' >truth.csv
passes info truth.csv
check 'it is said where it was found' grep -q "which atoms matter is in column 'truth'; the target is column 'y'" stderr
check 'and counted' grep -q 'truth  *2 graphs say which nodes matter' stdout
passes convert truth.csv --out truth.jsonl
check 'it is kept' test "$(grep -o '"truth": .*}' truth.jsonl | tr '\n' ' ')" = '"truth": [[2]]} "truth": [[0], [1]]} '
passes info truth.csv --truth-column none
check 'unless nobody wants it' test -z "$(grep 'nodes matter' stdout)"
printf 'd,CO,1,2\n' >>truth.csv
passes predict model.gckn truth.csv --out out.csv
check 'an atom that is not there is the fault of its row' grep -q '^d,"truth: there is no atom 2 among 2 atoms, numbered from 0' out.csv
refuses 3 'row 4 (d, line 5): truth: there is no atom 2' train truth.csv --out never.gckn --quiet
refuses 3 "has no column 'x'" info truth.csv --truth-column x

# Wrong files.
printf 'a,b\nCCO,1\n' >columns.csv
refuses 3 'none of its columns is called smiles; there is a, b' info columns.csv
refuses 3 "has no column 'c'; there is a, b" info columns.csv --smiles-column c
passes info columns.csv --smiles-column a
: >empty.smi
refuses 3 'holds no molecules' info empty.smi

finished=yes
