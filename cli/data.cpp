// SPDX-License-Identifier: BSD-3-Clause
#include "data.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <istream>
#include <streambuf>

#include "console.h"
#include "gckn/error.h"

namespace gckn::cli {

namespace {

// Standard input, whose reader may be interrupted while it waits for somebody who may never write.
class StandardInput : public std::streambuf {
 protected:
  int_type underflow() override {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    constexpr int kMilliseconds = 100;
    while (poll(&input, 1, kMilliseconds) <= 0) {
      if (was_interrupted()) throw Cancelled();
    }
    const ssize_t count = ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
    if (count <= 0) return traits_type::eof();
    setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
    return traits_type::to_int_type(buffer_[0]);
  }

 private:
  std::array<char, std::size_t{1} << 16> buffer_{};
};

std::istream& standard_input() {
  static StandardInput buffer;
  static std::istream stream(&buffer);
  stream.exceptions(std::ios::badbit);  // what the buffer throws is not to be swallowed
  return stream;
}

constexpr const char* kStandardInput = "standard input";

}  // namespace

void add_data_argument(CLI::App& command, std::string& data) {
  command
      .add_option("DATA", data,
                  "Graphs: a TU folder or zip, a GIN file or zip, JSON lines or\nnode-link JSON (- reads JSON from "
                  "standard input)")
      ->required();
}

GraphSet read_data(const std::string& data, const RunOptions& options) {
  if (data != "-") return read_graphs(data, options);
  return read_graphs_jsonl(standard_input(), kStandardInput, options);
}

GraphSet read_data(const std::string& data, const LabelNameOptions& names, const RunOptions& options) {
  const NamesOfLabels read = read_label_names(names);  // what is wrong with them is known at once
  GraphSet graphs = read_data(data, options);
  graphs.name_labels(read.nodes, read.edges);
  return graphs;
}

std::unique_ptr<GraphReader> open_data(const std::string& data, const RunOptions& options) {
  if (data != "-") return std::make_unique<GraphReader>(data, options);
  return std::make_unique<GraphReader>(standard_input(), kStandardInput, options);
}

}  // namespace gckn::cli
