// SPDX-License-Identifier: BSD-3-Clause
// Many undirected graphs in one set of flat arrays.
//
// Nodes of all graphs are numbered through: graph g owns the nodes graph_begin(g) .. graph_begin(g + 1). The
// neighbours of node u are neighbours(u), ascending, without u itself and without repetition; every edge appears as
// two arcs. Labels are stored as indices into a sorted list of the values seen; a value may have a name. Immutable once
// built (name_labels and set_targets apart), so any number of threads may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gckn {

// What a graph is to be predicted as. Either classes or numbers or nothing; a missing number is NaN.
struct Targets {
  enum class Kind { none, classes, numbers };
  Kind kind = Kind::none;

  // Kind::classes: the names, in numeric order if all are whole numbers and in byte order otherwise, and for each
  // graph an index into them (-1: missing).
  std::vector<std::string> class_names{};
  std::vector<std::int32_t> class_of_graph{};

  // Kind::numbers: graphs x columns, row-major.
  std::size_t columns = 0;
  std::vector<double> numbers{};

  // What the columns (or, as its only name, the classes) are called, or empty.
  std::vector<std::string> column_names{};
};

// What labels are called: 0 is "C", 1 is "O". One that is not listed is called by its number.
using LabelNames = std::map<std::int64_t, std::string>;

// The label that a word stands for, wherever a file has words as labels; the same in every file. A word that is a whole
// number ("6") is that number, others become numbers from 2^62 on.
std::int64_t label_of_word(std::string_view word);

// One train/test split by graph index, as the GIN files bring them.
struct Fold {
  std::vector<std::uint32_t> train{};
  std::vector<std::uint32_t> test{};
};

// What is known of why a graph is what it is: alternatives, each a list of nodes, numbered within the graph. A ring
// that decides the class is one alternative; of two such rings either is one, and both together are a third. Empty:
// nothing is known of the graph.
using NodeTruth = std::vector<std::vector<std::uint32_t>>;

// How molecules became graphs: atoms are nodes, bonds are edges.
struct MoleculeReading {
  // Labels of atoms: the element ("N"), or more of what it is ("N+ aromatic ring").
  enum class Atoms { element, rich };
  Atoms atoms = Atoms::element;
  bool hydrogens = false;         // hydrogens are atoms like others, also where a file leaves them out
  bool largest_fragment = false;  // of a salt or a mixture the largest part only

  bool operator==(const MoleculeReading&) const = default;
};

// The words of the command line and of model files; the second throws UsageError listing them.
std::string_view to_string(MoleculeReading::Atoms atoms);
MoleculeReading::Atoms parse_atoms(std::string_view word);

// What was mended while the graphs were read.
struct MergeCounts {
  std::uint64_t duplicate_edges = 0;  // listings beyond the first of the same ordered pair
  std::uint64_t self_loops = 0;       // listings dropped
  std::uint64_t one_way_edges = 0;    // edges listed in one direction only (normal where a format lists each once)
};

// The raw material of a GraphSet, as readers produce it. All vectors but graph_sizes may be empty. GraphSet checks it.
struct GraphSetParts {
  std::string name{};
  std::vector<std::uint32_t> graph_sizes{};  // nodes per graph
  std::vector<std::string> ids{};            // what the graphs are called, one each (perhaps ""), or empty

  // Listed edges, by global node number; both ends in the same graph.
  std::vector<std::uint32_t> edge_from{};
  std::vector<std::uint32_t> edge_to{};
  std::vector<std::int64_t> edge_labels{};  // one per listed edge, or empty
  std::size_t edge_attribute_columns = 0;
  std::vector<double> edge_attributes{};  // listed edges x columns

  std::vector<std::int64_t> node_labels{};  // one per node, or empty
  LabelNames node_label_names{}, edge_label_names{};
  std::size_t node_attribute_columns = 0;
  std::vector<double> node_attributes{};  // nodes x columns, finite

  Targets targets{};
  std::size_t graph_attribute_columns = 0;
  std::vector<double> graph_attributes{};  // graphs x columns
  std::vector<Fold> folds{};
  std::vector<NodeTruth> truth{};  // one per graph, or empty

  std::optional<MoleculeReading> molecules{};  // how they were read, if the graphs are molecules
  std::vector<std::string> smiles{};  // of molecules: canonical SMILES without stereochemistry, one each; or empty

  // Says where listed edge i stood ("MUTAG_A.txt:17"), for the error about an edge listed twice with different labels.
  std::function<std::string(std::size_t)> locate_edge{};
};

class GraphSet {
 public:
  GraphSet() = default;

  // Builds the arrays: drops self-loops, merges duplicates, closes one-way listings, interns labels.
  // Throws InputError if an edge is listed twice with different labels or attributes, if two labels have one name, and
  // for parts that do not fit together: a vector of the wrong length, a node, class or graph number out of range, an
  // attribute that is not finite, a known answer with a node that is not there.
  explicit GraphSet(GraphSetParts parts);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t num_graphs() const { return graph_begin_.size() - 1; }
  [[nodiscard]] std::size_t num_nodes() const { return graph_begin_.back(); }
  [[nodiscard]] std::size_t num_arcs() const { return neighbours_.size(); }
  [[nodiscard]] std::size_t num_edges() const { return neighbours_.size() / 2; }

  // Nodes of graph g are graph_begin(g) .. graph_begin(g + 1).
  [[nodiscard]] std::uint32_t graph_begin(std::size_t g) const { return graph_begin_[g]; }
  [[nodiscard]] std::span<const std::uint32_t> graph_begins() const { return graph_begin_; }

  // Arcs of node u are arc_begin(u) .. arc_begin(u + 1).
  [[nodiscard]] std::uint64_t arc_begin(std::size_t u) const { return arc_begin_[u]; }
  [[nodiscard]] std::span<const std::uint64_t> arc_begins() const { return arc_begin_; }
  [[nodiscard]] std::uint32_t degree(std::size_t u) const {
    return static_cast<std::uint32_t>(arc_begin_[u + 1] - arc_begin_[u]);
  }
  [[nodiscard]] std::span<const std::uint32_t> neighbours(std::size_t u) const {
    return {neighbours_.data() + arc_begin_[u], degree(u)};
  }
  [[nodiscard]] std::span<const std::uint32_t> arcs() const { return neighbours_; }

  // Labels as indices into the sorted values; empty spans where the set has none.
  [[nodiscard]] bool has_node_labels() const { return !node_label_values_.empty(); }
  [[nodiscard]] std::span<const std::uint32_t> node_labels() const { return node_labels_; }
  [[nodiscard]] std::span<const std::int64_t> node_label_values() const { return node_label_values_; }
  [[nodiscard]] bool has_edge_labels() const { return !edge_label_values_.empty(); }
  [[nodiscard]] std::span<const std::uint32_t> arc_labels() const { return arc_labels_; }
  [[nodiscard]] std::span<const std::int64_t> edge_label_values() const { return edge_label_values_; }

  // What the values are called, by index; empty where they have no names but their numbers.
  [[nodiscard]] const std::vector<std::string>& node_label_names() const { return node_label_names_; }
  [[nodiscard]] const std::vector<std::string>& edge_label_names() const { return edge_label_names_; }

  // Gives labels (other) names. Names of labels that no node or edge has are ignored. Throws InputError if two labels
  // would have one name.
  void name_labels(const LabelNames& nodes, const LabelNames& edges);

  // Row-major, nodes x columns, arcs x columns, graphs x columns.
  [[nodiscard]] std::size_t node_attribute_columns() const { return node_attribute_columns_; }
  [[nodiscard]] std::span<const double> node_attributes() const { return node_attributes_; }
  [[nodiscard]] std::size_t edge_attribute_columns() const { return edge_attribute_columns_; }
  [[nodiscard]] std::span<const double> arc_attributes() const { return arc_attributes_; }
  [[nodiscard]] std::size_t graph_attribute_columns() const { return graph_attribute_columns_; }
  [[nodiscard]] std::span<const double> graph_attributes() const { return graph_attributes_; }

  // What graphs are called where the file says so, by graph, "" for those it leaves out; otherwise empty.
  [[nodiscard]] const std::vector<std::string>& ids() const { return ids_; }

  // Where the graphs are molecules: how they were read, and their canonical SMILES (or empty).
  [[nodiscard]] const std::optional<MoleculeReading>& molecules() const { return molecules_; }
  [[nodiscard]] const std::vector<std::string>& smiles() const { return smiles_; }
  [[nodiscard]] const Targets& targets() const { return targets_; }
  // Other targets in their place. Throws InputError for those that do not fit the graphs.
  void set_targets(Targets targets);
  [[nodiscard]] const std::vector<Fold>& folds() const { return folds_; }

  // By graph what is known of the nodes that matter, nodes ascending and none twice; empty where the set has no such
  // answers. For judging explanations: nothing is learnt from it.
  [[nodiscard]] const std::vector<NodeTruth>& truth() const { return truth_; }
  [[nodiscard]] const MergeCounts& merge_counts() const { return merge_counts_; }

 private:
  std::string name_;
  std::vector<std::uint32_t> graph_begin_{0};
  std::vector<std::uint64_t> arc_begin_{0};
  std::vector<std::uint32_t> neighbours_;
  std::vector<std::uint32_t> node_labels_;
  std::vector<std::int64_t> node_label_values_;
  std::vector<std::uint32_t> arc_labels_;
  std::vector<std::int64_t> edge_label_values_;
  std::vector<std::string> node_label_names_;
  std::vector<std::string> edge_label_names_;
  std::size_t node_attribute_columns_ = 0;
  std::vector<double> node_attributes_;
  std::size_t edge_attribute_columns_ = 0;
  std::vector<double> arc_attributes_;
  std::size_t graph_attribute_columns_ = 0;
  std::vector<double> graph_attributes_;
  std::vector<std::string> ids_;
  std::optional<MoleculeReading> molecules_;
  std::vector<std::string> smiles_;
  Targets targets_;
  std::vector<Fold> folds_;
  std::vector<NodeTruth> truth_;
  MergeCounts merge_counts_;
};

// The given graphs, in the given order, as a set of their own: labels that none of them has are not known to it. Class
// names stay as they are; folds are dropped. Throws InputError for a number that no graph has.
GraphSet select_graphs(const GraphSet& graphs, std::span<const std::uint32_t> selected);

}  // namespace gckn
