// SPDX-License-Identifier: BSD-3-Clause
#include "graph/fingerprint.h"

#include <bit>
#include <span>
#include <string>

#include "util/flat_map.h"

namespace gckn {
namespace {

class Digest {
 public:
  void add(std::uint64_t value) { state_ = mix_bits(state_ * 0x9e3779b97f4a7c15ULL + value + 1); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(std::int64_t value) { add(static_cast<std::uint64_t>(value)); }
  void add(std::uint32_t value) { add(std::uint64_t{value}); }
  void add(std::int32_t value) { add(static_cast<std::uint64_t>(value)); }
  void add(const std::string& text) {
    add(std::uint64_t{text.size()});
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  }
  template <typename Range>
  void add_all(const Range& values) {
    add(std::uint64_t{values.size()});
    for (const auto& value : values) add(value);
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace

std::uint64_t fingerprint(const GraphSet& graphs) {
  Digest digest;
  digest.add_all(graphs.graph_begins());
  digest.add_all(graphs.arc_begins());
  digest.add_all(graphs.arcs());
  digest.add_all(graphs.node_labels());
  digest.add_all(graphs.node_label_values());
  digest.add_all(graphs.arc_labels());
  digest.add_all(graphs.edge_label_values());
  digest.add_all(graphs.node_attributes());
  digest.add_all(graphs.arc_attributes());
  digest.add_all(graphs.graph_attributes());
  digest.add_all(graphs.targets().class_names);
  digest.add_all(graphs.targets().class_of_graph);
  digest.add_all(graphs.targets().numbers);
  return digest.value();
}

}  // namespace gckn
