// SPDX-License-Identifier: BSD-3-Clause
// The network: layers of path or walk kernels that map graphs to vectors. docs/mathematics.md has the formulas.
//
//   gckn::GraphSet graphs = gckn::read_graphs("NCI1.zip");
//   gckn::Network network = gckn::fit_network(graphs, gckn::subtree({.path_length = 4, .filters = 128, .sigma = 0.6}));
//   gckn::Matrix vectors = network.embed(graphs);  // one row per graph
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/matrix.h"
#include "gckn/run_options.h"

namespace gckn {

enum class LayerKind { path, walk };
enum class Pooling { sum, mean, max, gmp };  // gmp: generalised max pooling
enum class PathScaling { mean, sum };        // mean: the authors' code; sum: the paper's text
enum class Regularisation { root, gram };    // root: 1/(sqrt(lambda) + eps); gram: (lambda + eps)^(-1/2)
enum class EdgeLabels { automatic, unused, used };
enum class Features { automatic, labels, degree, attributes, labels_and_attributes };
// What graphs are compared by, and learnt from.
enum class Compare {
  vectors,  // those of the network
  // The states of their nodes: which paths of 0 .. k edges start at a node, k being the path length of the one layer. A
  // graph is a sparse row of indicators whose inner product is the optimal assignment kernel (ExactKernel::path_oa,
  // normalised). Exact where vectors are soft: it learns more from labels that repeat, and nothing from attributes.
  states,
  both,  // together, by the Gaussian head: states by the path length of the first layer
};
// What is learnt on that.
enum class Head {
  linear,  // a linear model on vectors, or on rows of states
  // A machine on the Gaussian kernel exp(-2 D), D being the distance between two graphs by what is compared, divided by
  // its mean over training graphs. Often the most accurate; learns from kMostKernelGraphs graphs at most.
  gaussian,
};

// One layer. Its patterns are paths (or walks) of path_length edges, so path_length + 1 vertices.
struct LayerConfig {
  LayerKind kind = LayerKind::path;
  int path_length = 3;              // edges; 0 compares single nodes
  int filters = 128;                // anchors; fewer if the training graphs have fewer distinct patterns
  double sigma = 0.6;               // bandwidth of the Gaussian kernel between patterns; the paper's grid is 0.3 .. 1
  Pooling pooling = Pooling::mean;  // over the patterns that start at a node
  bool all_lengths = true;          // one output block for every length up to path_length, or the full length only
  PathScaling path_scaling = PathScaling::mean;
  Regularisation regularisation = Regularisation::root;
  double eps = 0.01;        // regularises the inverse square root of the anchors' Gram matrix
  double gmp_lambda = 1.0;  // ridge of generalised max pooling

  bool operator==(const LayerConfig&) const = default;
};

// Where the attributes of a node come from: itself, the mean over its edges, its graph (the same for all its nodes).
struct AttributeSources {
  bool nodes = true;
  bool edges = false;
  bool graphs = false;

  bool operator==(const AttributeSources&) const = default;
};

struct NetworkConfig {
  Compare compare = Compare::vectors;
  Head head = Head::linear;
  std::vector<LayerConfig> layers{};      // for states one of paths, of which only the length matters
  Pooling global_pooling = Pooling::sum;  // over the nodes of a graph
  bool concat_layers = false;             // join the vectors of all layers instead of the last one's

  // What a node is at first. automatic: attributes if the set has them and no labels, labels if it has labels,
  // degrees otherwise.
  Features features = Features::automatic;
  AttributeSources attributes{};  // where the features are, or have, attributes
  // Whether edge labels are read along the path, in layers with path_length > 0. automatic: those of molecules, their
  // bonds, are.
  EdgeLabels edge_labels = EdgeLabels::automatic;
  bool unit_attributes = true;  // scale each node's standardised attributes to unit length

  bool operator==(const NetworkConfig&) const = default;
};

// The paper's architectures, all with one sigma and one number of filters for every layer.
struct Architecture {
  int path_length = 3;
  int filters = 128;
  double sigma = 0.6;
  Pooling pooling = Pooling::mean;
  Pooling global_pooling = Pooling::sum;
  bool all_lengths = true;
};
NetworkConfig walk(const Architecture& options);         // one layer of walks
NetworkConfig path(const Architecture& options);         // one layer of paths
NetworkConfig subtree(const Architecture& options);      // paths, then single nodes
NetworkConfig three_layer(const Architecture& options);  // paths, paths of length 2, single nodes

// Graphs compared by the states of their nodes. Not for embedding: there are no anchors, and so no vectors.
NetworkConfig states(int path_length, Head head = Head::linear);

// Whether a configuration compares vectors, or states; with Compare::both it does both.
inline bool compares_vectors(const NetworkConfig& config) {
  return config.compare != Compare::states;
}
inline bool compares_states(const NetworkConfig& config) {
  return config.compare != Compare::vectors;
}

// The longest path or walk of a layer or kernel, in edges. Far beyond what is of use: evaluators keep an array per
// path.
inline constexpr int kLongestPath = 63;

// The most anchors of a layer: their Gram matrix has 2 GB.
inline constexpr int kMostFilters = 1 << 14;

// Bandwidths beyond these lose all digits in the exponential: exp(alpha (s - 1)), alpha = 1 / sigma^2.
inline constexpr double kSmallestSigma = 0.01;
inline constexpr double kLargestSigma = 1000;

// Throws UsageError naming the first option that makes no sense.
void validate(const NetworkConfig& config);

// The words of the command line and of model files.
std::string_view to_string(LayerKind kind);
std::string_view to_string(Pooling pooling);
std::string_view to_string(PathScaling scaling);
std::string_view to_string(Regularisation regularisation);
std::string_view to_string(Features features);
std::string_view to_string(Compare compare);
std::string_view to_string(Head head);
// Throw UsageError listing the possible words.
LayerKind parse_layer_kind(std::string_view word);
Pooling parse_pooling(std::string_view word);
PathScaling parse_path_scaling(std::string_view word);
Regularisation parse_regularisation(std::string_view word);
Features parse_features(std::string_view word);
Compare parse_compare(std::string_view word);
Head parse_head(std::string_view word);

// Features and sources of attributes in one word: "labels", "labels+attributes", "attributes+edge-attributes",
// "degree", "auto"; any of labels, attributes, edge-attributes and graph-attributes with + between them.
std::string features_word(Features features, const AttributeSources& attributes);
std::pair<Features, AttributeSources> parse_features_word(std::string_view word);

// The JSON configuration shape of model files, for --config. Unknown keys are errors; absent ones take the defaults.
NetworkConfig network_config_from_json(const std::string& json);
std::string to_json(const NetworkConfig& config);

// How nodes and edges of any graph set become the network's input. Fitted on the training graphs.
struct InputEncoding {
  Features features = Features::labels;  // never automatic
  AttributeSources attributes{};
  std::vector<std::int64_t> labels;  // known node labels (or degrees), ascending; others are orthogonal to all
  std::vector<double> mean, scale;   // of the attribute columns
  bool unit_attributes = true;
  bool uses_edge_labels = false;
  std::vector<std::int64_t> edge_labels;  // known edge labels, ascending
  // What these are called, by index, or empty. Labels of other graphs are known by their names where both have names,
  // and by their numbers otherwise.
  std::vector<std::string> label_names, edge_label_names;
  std::optional<MoleculeReading> molecules{};  // how others are to be read, where the graphs were molecules

  // Width of a node's input vector.
  [[nodiscard]] std::size_t dimension() const;

  bool operator==(const InputEncoding&) const = default;
};

// A fitted layer: the configuration with `filters` as fitted, and the anchors.
template <typename Real>
struct BasicLayer {  // where states are compared, without widths and anchors
  LayerConfig config;
  std::size_t input_width = 0;     // d
  std::size_t edge_width = 0;      // e, number of known edge labels; 0 where the layer does not use them
  std::vector<Real> anchors;       // P x q x d
  std::vector<Real> edge_anchors;  // (P - 1) x q x e
};

// What these features are of these graphs: `automatic` made concrete, others as they are.
Features features_for(const GraphSet& graphs, Features features);
bool uses_edge_labels(const GraphSet& graphs, EdgeLabels edge_labels);

// Nodes and edges whose labels (or degrees) an encoding does not know: to the network, all such are alike.
struct UnknownLabels {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::vector<std::string> node_labels{}, edge_labels{};  // what these are called, each once
};
UnknownLabels unknown_labels(const InputEncoding& encoding, const GraphSet& graphs);

// The graphs that anchors were learnt from: all of a set or, of large ones, a sample (FitOptions::max_nodes).
struct LearntFrom {
  std::string data{};  // what the set is called
  std::uint64_t graphs = 0, of = 0;
  std::uint64_t seed = 0;

  [[nodiscard]] bool is_sample() const { return graphs < of; }
  bool operator==(const LearntFrom&) const = default;
};

// How the anchors of one layer were found.
struct AnchorReport {
  std::uint64_t patterns = 0;  // distinct full-length patterns, or paths where they were not interned
  std::uint64_t points = 0;    // points given to k-means
  bool exact = false;          // every distinct pattern is an anchor; those with equal vectors share one
  bool sampled = false;        // k-means saw a sample
  bool converged = false;      // stopped before the limit of iterations
  int iterations = 0;
  double similarity = 0;           // weighted mean similarity of the points to their anchors, in [-1, 1]
  double held_out_similarity = 0;  // the same on 50,000 other paths, where sampled
};

template <typename Real>
class BasicNetwork {
 public:
  // Takes fitted parts. Throws UsageError if they do not fit together.
  BasicNetwork(NetworkConfig config, InputEncoding input, std::vector<BasicLayer<Real>> layers);

  [[nodiscard]] const NetworkConfig& config() const { return config_; }
  [[nodiscard]] const InputEncoding& input() const { return input_; }
  [[nodiscard]] const std::vector<BasicLayer<Real>>& layers() const { return layers_; }
  [[nodiscard]] const std::vector<AnchorReport>& anchor_reports() const { return anchor_reports_; }
  void set_anchor_reports(std::vector<AnchorReport> reports) { anchor_reports_ = std::move(reports); }

  // What the anchors were learnt from, for people to read; empty where it is not known, as in old files.
  [[nodiscard]] const LearntFrom& learnt_from() const { return learnt_from_; }
  void set_learnt_from(LearntFrom learnt_from) { learnt_from_ = std::move(learnt_from); }

  // Length of a graph vector (0 where states are compared), and of a row of embed_nodes.
  [[nodiscard]] std::size_t vector_size() const;
  [[nodiscard]] std::size_t node_vector_size(std::size_t layer) const;

  // One row per graph, zeros for a graph without nodes. Throws UsageError where states are compared. Labels and degrees
  // that were not seen in training are allowed. Throws InputError if the graphs lack what the network was fitted on
  // (labels, attribute columns). A graph's row has the same bits alone, in any set and for any number of threads. Works
  // in blocks of graphs. Throws LimitError for a graph with more than options.max_paths paths in a layer, and
  // InputError for one whose vector is not finite.
  [[nodiscard]] BasicMatrix<Real> embed(const GraphSet& graphs, const RunOptions& options = {}) const;

  // The same of graphs first .. last - 1 only.
  [[nodiscard]] BasicMatrix<Real> embed(const GraphSet& graphs, std::size_t first, std::size_t last,
                                        const RunOptions& options = {}) const;

  // The output of layer `layer` (0-based) for every node: nodes x (blocks * filters).
  [[nodiscard]] BasicMatrix<Real> embed_nodes(const GraphSet& graphs, std::size_t layer,
                                              const RunOptions& options = {}) const;

 private:
  NetworkConfig config_;
  InputEncoding input_;
  std::vector<BasicLayer<Real>> layers_;
  std::vector<AnchorReport> anchor_reports_;
  LearntFrom learnt_from_;
};

using Network = BasicNetwork<float>;

struct FitOptions {
  std::uint64_t seed = 0;
  // Anchors are learnt from a sample of the graphs where these have more nodes; 0: always from all. Which graphs are
  // drawn follows from what they contain and the seed, not from their order. Known labels and scales of attributes are
  // those of all graphs.
  std::uint64_t max_nodes = 500'000;
  int max_iterations = 100;             // of k-means
  double tolerance = 1e-6;              // relative change of the mean similarity at which k-means stops
  std::uint32_t seeding_points = 4096;  // weighted sample on which k-means++ runs
  // Distinct patterns above which k-means works on a sample. With attributes, and where patterns are not interned, it
  // does so from sample_points on (64 per anchor at least). A sample is enlarged until the mean similarity on 50,000
  // other paths is within 0.5 % of what k-means on all paths would reach, estimated as the mean of the similarities on
  // the sample and on them.
  std::uint64_t max_points = 300'000;
  std::uint64_t sample_points = 8'192;
  // Where states are compared: with more columns of states they are hashed to 2^18, so that a model stays small. One
  // cannot tell then which states are new.
  std::uint64_t max_state_columns = std::uint64_t{1} << 22U;
  bool accelerate = true;  // skip k-means distances that bounds rule out; false for measurements, same result
};

// Learns the anchors of every layer from the graphs, without labels.
template <typename Real = float>
BasicNetwork<Real> fit_network(const GraphSet& graphs, const NetworkConfig& config, const FitOptions& fit = {},
                               const RunOptions& options = {});

// As fit_network followed by embed on the same graphs, sharing their work.
template <typename Real = float>
std::pair<BasicNetwork<Real>, BasicMatrix<Real>> fit_and_embed(const GraphSet& graphs, const NetworkConfig& config,
                                                               const FitOptions& fit = {},
                                                               const RunOptions& options = {});

}  // namespace gckn
