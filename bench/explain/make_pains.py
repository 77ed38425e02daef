#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Molecules whose explanation is known: 10,000 screening compounds of RDKit's data, label 1 where RDKit's PAINS filters match, and
in the column truth the atoms that do (one alternative per match, and all of them together).

    python3 bench/explain/make_pains.py --out pains.csv     # needs Debian's python3-rdkit and rdkit-data, or PyPI's rdkit
"""

import argparse
import csv

from rdkit import Chem, RDLogger
from rdkit.Chem.FilterCatalog import FilterCatalog, FilterCatalogParams


def atoms_of_matches(catalogue, molecule):
    """The atoms of every match, as sorted tuples, each once."""
    found = set()
    for entry in catalogue.GetMatches(molecule):
        for match in entry.GetFilterMatches(molecule):
            found.add(tuple(sorted(atom for _, atom in match.atomPairs)))
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--molecules", default="/usr/share/RDKit/Data/Pains/test_data/wehi_mols.csv")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")
    parameters = FilterCatalogParams()
    parameters.AddCatalog(FilterCatalogParams.FilterCatalogs.PAINS)
    catalogue = FilterCatalog(parameters)
    with open(options.molecules, encoding="utf-8") as source, open(options.out, "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "smiles", "label", "truth"])
        for smiles, name in csv.reader(source):
            molecule = Chem.MolFromSmiles(smiles)
            # Atoms are numbered as in the text: molecules whose hydrogens RDKit takes out would have other numbers.
            if molecule is None or molecule.GetNumAtoms() != Chem.MolFromSmiles(smiles, sanitize=False).GetNumAtoms():
                continue
            matches = atoms_of_matches(catalogue, molecule)
            together = tuple(sorted({atom for match in matches for atom in match}))
            if together and together not in matches:
                matches.append(together)
            rows.writerow([name, smiles, int(bool(matches)), "|".join(" ".join(map(str, match)) for match in matches)])


if __name__ == "__main__":
    main()
