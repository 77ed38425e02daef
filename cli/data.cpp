// SPDX-License-Identifier: BSD-3-Clause
#include "data.h"

#include <iostream>

#include "console.h"
#include "gckn/io.h"

namespace gckn::cli {

void add_data_argument(CLI::App& command, std::string& data) {
  command
      .add_option("DATA", data,
                  "Graphs: a TU folder or zip, a GIN file or zip, or JSON lines\n(- reads these from standard input)")
      ->required();
}

GraphSet read_data(const std::string& data, const RunOptions& options) {
  if (data != "-") return read_graphs(data, options);
  const InterruptsWhileWaiting at_once;
  return read_graphs_jsonl(std::cin, "standard input", options);
}

DataReader::DataReader(const std::string& data, const RunOptions& options)
    : from_standard_input_(data == "-"),
      reader_(from_standard_input_ ? GraphReader(std::cin, "standard input", options) : GraphReader(data, options)) {}

std::optional<GraphSet> DataReader::next() {
  std::optional<InterruptsWhileWaiting> at_once;
  if (from_standard_input_) at_once.emplace();
  return reader_.next();
}

}  // namespace gckn::cli
