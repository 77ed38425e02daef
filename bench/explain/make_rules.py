#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Molecules whose explanation is known: those of a table with the column smiles, label 1 where they have every group of the
rule, and in the column truth the atoms that do: an alternative for each choice of one match per group, and all together.

    python3 bench/explain/make_rules.py --molecules benzene.csv --rule fluoride-carbonyl --out rule.csv   # needs RDKit
"""

import argparse
import csv
import itertools

from rdkit import Chem

RULES = {
    "fluoride-carbonyl": ["[F]", "[#6]=[O]"],
    "alkane-carbonyl": ["[CH3][CH2][CH2]", "[#6]=[O]"],
    "sulfonamide": ["[#16](=O)(=O)[#7]"],
    "nitrile": ["C#N"],
}
MOST_ALTERNATIVES = 50


def alternatives(groups, molecule):
    """Sets of atoms, none where a group is missing."""
    matches = [molecule.GetSubstructMatches(group) for group in groups]
    choices = [set().union(*choice) for choice in itertools.islice(itertools.product(*matches), MOST_ALTERNATIVES)]
    together = {atom for group in matches for match in group for atom in match}
    if choices and together not in choices:
        choices.append(together)
    return choices


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--molecules", required=True)
    parser.add_argument("--rule", choices=sorted(RULES), required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    groups = [Chem.MolFromSmarts(text) for text in RULES[options.rule]]
    with open(options.molecules, encoding="utf-8") as source, open(options.out, "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "smiles", "label", "truth"])
        for row in csv.DictReader(source):
            found = alternatives(groups, Chem.MolFromSmiles(row["smiles"]))
            rows.writerow([row["id"], row["smiles"], int(bool(found)),
                           "|".join(" ".join(map(str, sorted(atoms))) for atoms in found)])


if __name__ == "__main__":
    main()
