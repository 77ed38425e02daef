#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# No command overwrites what it reads, or writes two things to one file, however the names are spelt.
. "$(dirname "$0")/support.sh"
make_motif_set
cp motif.jsonl original.jsonl
quick=(--filters 4 --path-length 1 --arch path --C 1)
passes embed motif.jsonl "${quick[@]:0:6}" --save-network network.gckn
passes train motif.jsonl "${quick[@]}" --out model.gckn --folds 2
mkdir TU other
printf '1, 2\n2, 1\n' >TU/TU_A.txt
printf '1\n1\n' >TU/TU_graph_indicator.txt
ln -s motif.jsonl link.jsonl
ln motif.jsonl hard.jsonl
printf '{"sigma": [0.5]}' >grid.json
printf '{"layers": [{"path_length": 1, "filters": 4}]}' >config.json
printf '0=C\n1=N\n' >names.txt
printf '0\n1\n' >test.txt
md5sum motif.jsonl network.gckn model.gckn TU/* grid.json config.json names.txt test.txt >before

for spelling in motif.jsonl ./motif.jsonl other/../motif.jsonl "$PWD/motif.jsonl" link.jsonl hard.jsonl; do
  refuses 2 'which is read as DATA' embed motif.jsonl --save-network "$spelling"
  refuses 2 'which is read as DATA' embed "$spelling" --save-model motif.jsonl
  refuses 2 'which is read as DATA' train motif.jsonl --out "$spelling"
  refuses 2 'which is read as DATA' train motif.jsonl --out never.gckn --journal "$spelling"
  refuses 2 'which is read as DATA' cv motif.jsonl --out "$spelling"
  refuses 2 'which is read as DATA' cv motif.jsonl --journal "$spelling"
  refuses 2 'which is read as DATA' predict model.gckn motif.jsonl --out "$spelling"
done
cp motif.jsonl d.csv
refuses 2 'would overwrite d.csv, which is read as DATA' kernel d.csv --kernel path --out ./d.csv
cp network.gckn n.npy
refuses 2 'would overwrite n.npy, which is read as --model' embed motif.jsonl --model n.npy --out ./n.npy
refuses 2 'would overwrite model.gckn, which is read as MODEL' predict model.gckn motif.jsonl --out ./model.gckn
refuses 2 'which is read as DATA' train TU --out TU/TU_A.txt
refuses 2 'which is read as DATA' train TU --out TU/../TU/TU_graph_indicator.txt
refuses 2 'which is read as DATA' train TU/TU_A.txt --out TU/TU_graph_indicator.txt
mkdir gin gin/10fold_idx && printf '2\n1 0\n0 0\n1 1\n0 0\n' >gin/g.dat
printf '0\n' >gin/10fold_idx/train_idx-1.txt && printf '1\n' >gin/10fold_idx/test_idx-1.txt
refuses 2 'which is read as DATA' cv gin/g.dat --out gin/10fold_idx/test_idx-1.txt
"$gckn" train - --out motif.jsonl <motif.jsonl >stdout 2>stderr
check 'standard input is not overwritten either' grep -q 'would overwrite standard input, which is read as DATA' stderr
refuses 2 'which is read as --grid' cv motif.jsonl --grid grid.json --out ./grid.json
refuses 2 'which is read as --grid' train motif.jsonl --grid grid.json --out ./grid.json
refuses 2 'which is read as --config' cv motif.jsonl --config config.json --journal ./config.json
refuses 2 'which is read as --config' embed motif.jsonl --config config.json --save-network ./config.json
refuses 2 'which is read as --test' cv motif.jsonl --test test.txt --out ./test.txt
refuses 2 'which is read as --label-names' cv motif.jsonl --label-names names.txt --out ./names.txt

refuses 2 '--out and --save-network are the same file' embed motif.jsonl --out never.csv --save-network ./never.csv
refuses 2 '--out and --save-network are the same file' \
  embed motif.jsonl --out "$PWD/never.csv" --save-network other/../never.csv
refuses 2 '--out and --journal are the same file' cv motif.jsonl --out never.json --journal ./never.json
refuses 2 '--out and --journal are the same file' train motif.jsonl --out never.gckn --journal ./never.gckn
check 'nothing was touched' md5sum --check --quiet before
nothing_is_left 'of commands that were refused'

# Other files in a folder that is read, and devices, are fine.
passes cv motif.jsonl "${quick[@]}" --folds 2 --no-baselines --out /dev/null
passes embed TU "${quick[@]:0:6}" --save-network TU/new.gckn
finished=yes
