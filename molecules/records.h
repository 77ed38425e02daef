// SPDX-License-Identifier: BSD-3-Clause
// The records of a file of molecules as text, before RDKit sees them. One that cannot be understood is a record with an
// error, so that records always line up with the file.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gckn/molecules.h"
#include "line_source.h"

namespace gckn {

struct MoleculeRecord {
  enum class Kind { smiles, mol_block };
  Kind kind = Kind::smiles;
  MoleculeRow row;
  std::string text;                  // SMILES, or a mol block; empty if there is an error
  std::vector<std::string> targets;  // by target column, without blanks around them
  std::string truth;                 // which atoms matter, as the file says it; empty if it does not
};

class RecordReader {
 public:
  virtual ~RecordReader() = default;

  // False at the end.
  virtual bool next(MoleculeRecord& record) = 0;

  [[nodiscard]] const std::vector<std::string>& target_names() const { return target_names_; }
  [[nodiscard]] const std::vector<std::string>& guesses() const { return guesses_; }

 protected:
  std::vector<std::string> target_names_;
  std::vector<std::string> guesses_;
};

// Columns separated by commas, tabs or semicolons, below a header.
std::unique_ptr<RecordReader> read_csv_records(LineSource& lines, const MoleculeColumns& columns);
// SMILES and, behind a blank or tab, a name.
std::unique_ptr<RecordReader> read_smi_records(LineSource& lines, const MoleculeColumns& columns);
std::unique_ptr<RecordReader> read_sdf_records(LineSource& lines, const MoleculeColumns& columns);

// Which of the columns of a file are what. `samples`: some rows, by which targets are told.
struct ChosenColumns {
  std::optional<std::size_t> smiles, id, truth;
  std::vector<std::size_t> targets;
  std::vector<std::string> guesses;
};
ChosenColumns choose_columns(const std::string& file, const std::vector<std::string>& names,
                             const std::vector<std::vector<std::string>>& samples, const MoleculeColumns& asked,
                             bool needs_smiles);

// Whether a value stands for a missing one: nothing, NA, NaN, null, none or ?.
bool is_missing(std::string_view value);

// Without blanks around it.
std::string_view trimmed(std::string_view text);

}  // namespace gckn
