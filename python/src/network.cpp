// SPDX-License-Identifier: BSD-3-Clause
// Networks without targets, and exact kernels.
#include "gckn/network.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "gckn/kernels.h"
#include "gckn/model_file.h"
#include "run.h"

namespace gckn::python {
namespace {

NetworkConfig architecture(const std::string& word, const Architecture& layers) {
  if (word == "walk") return walk(layers);
  if (word == "path") return path(layers);
  if (word == "subtree") return subtree(layers);
  if (word == "three-layer") return three_layer(layers);
  throw UsageError("arch must be 'walk', 'path', 'subtree' or 'three-layer', not '" + word + "'");
}

EdgeLabels parse_edge_labels(const nb::object& used) {
  if (used.is_none()) return EdgeLabels::automatic;
  return nb::cast<bool>(used) ? EdgeLabels::used : EdgeLabels::unused;
}

// A configuration as JSON, by which the other functions know it.
std::string network_config(const std::string& arch, int path_length, int filters, double sigma,
                           const std::string& pooling, const std::string& global_pooling, bool one_length,
                           bool concat_layers, const std::string& features, const nb::object& edge_labels,
                           const std::string& compare, const std::string& head) {
  const Compare what = parse_compare(compare);
  NetworkConfig config = what == Compare::states
                             ? states(path_length)
                             : architecture(arch, {path_length, filters, sigma, parse_pooling(pooling),
                                                   parse_pooling(global_pooling), !one_length});
  config.compare = what;
  config.head = parse_head(head);
  config.concat_layers = what != Compare::states && concat_layers;
  std::tie(config.features, config.attributes) = parse_features_word(features);
  config.edge_labels = parse_edge_labels(edge_labels);
  validate(config);
  return to_json(config);
}

ExactKernel parse_kernel(const std::string& word) {
  if (word == "path") return ExactKernel::path;
  if (word == "walk") return ExactKernel::walk;
  if (word == "wl-subtree") return ExactKernel::wl_subtree;
  if (word == "path-oa") return ExactKernel::path_oa;
  if (word == "wl-oa") return ExactKernel::wl_oa;
  if (word == "gaussian-path") return ExactKernel::gaussian_path;
  if (word == "gaussian-walk") return ExactKernel::gaussian_walk;
  throw UsageError("kernel must be 'path', 'walk', 'wl-subtree', 'path-oa', 'wl-oa', 'gaussian-path' or " +
                   std::string("'gaussian-walk', not '") + word + "'");
}

nb::bytes bytes_of_network(const Network& network) {
  const std::string bytes = network_bytes(network);
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

void bind_network(nb::module_& module) {
  nb::class_<Network>(module, "Network")
      .def_prop_ro("vector_size", &Network::vector_size)
      .def_prop_ro("config", [](const Network& network) { return to_json(network.config()); })
      .def_prop_ro("molecules",
                   [](const Network& network) -> nb::object {
                     if (!network.input().molecules) return nb::none();
                     const MoleculeReading& reading = *network.input().molecules;
                     return nb::make_tuple(std::string(to_string(reading.atoms)), reading.hydrogens,
                                           reading.largest_fragment);
                   })
      // What it reads of a graph: labels, attributes or both of nodes, as --features has them, and edge labels.
      .def_prop_ro(
          "features",
          [](const Network& network) { return features_word(network.input().features, network.input().attributes); })
      .def_prop_ro("uses_edge_labels", [](const Network& network) { return network.input().uses_edge_labels; })
      // Nodes and edges of a set whose labels it does not know, and what these are called.
      .def("unknown_labels",
           [](const Network& network, const GraphSet& graphs) {
             const auto count = [&] {
               const Unlocked here;
               return unknown_labels(network.input(), graphs);
             };
             const UnknownLabels unknown = count();
             return nb::make_tuple(unknown.nodes, unknown.node_labels, unknown.edges, unknown.edge_labels);
           })
      .def("embed",
           [](const Network& network, const GraphSet& graphs, const nb::tuple& run) {
             return to_array(
                 run_unlocked(run, [&](const RunOptions& options) { return network.embed(graphs, options); }));
           })
      .def("embed_nodes",
           [](const Network& network, const GraphSet& graphs, std::size_t layer, const nb::tuple& run) {
             return to_array(run_unlocked(
                 run, [&](const RunOptions& options) { return network.embed_nodes(graphs, layer, options); }));
           })
      .def("save", [](const Network& network, const std::filesystem::path& path) { save_network(network, path); })
      // Pickled as what its file would hold.
      .def("__getstate__", &bytes_of_network)
      .def("__setstate__",
           [](Network& unpickled, const nb::bytes& bytes) {
             new (&unpickled) Network(network_from_bytes(std::string(bytes.c_str(), bytes.size())));
           })
      .def("to_bytes", &bytes_of_network);
  module.def("load_network", [](const std::filesystem::path& path) { return load_network(path); });
  module.def("network_from_bytes",
             [](const nb::bytes& bytes) { return network_from_bytes(std::string(bytes.c_str(), bytes.size())); });
  module.def("network_config", &network_config, nb::kw_only(), nb::arg("arch"), nb::arg("path_length"),
             nb::arg("filters"), nb::arg("sigma"), nb::arg("pooling"), nb::arg("global_pooling"), nb::arg("one_length"),
             nb::arg("concat_layers"), nb::arg("features"), nb::arg("edge_labels").none(), nb::arg("compare"),
             nb::arg("head"));
  module.def("fit_and_embed",
             [](const GraphSet& graphs, const std::string& config, std::uint64_t seed, const nb::tuple& run) {
               const NetworkConfig network = network_config_from_json(config);
               auto [fitted, vectors] = run_unlocked(run, [&](const RunOptions& options) {
                 return fit_and_embed(graphs, network, FitOptions{.seed = seed}, options);
               });
               return nb::make_tuple(std::move(fitted), to_array(std::move(vectors)));
             });
  module.def("fit_network",
             [](const GraphSet& graphs, const std::string& config, std::uint64_t seed, const nb::tuple& run) {
               const NetworkConfig network = network_config_from_json(config);
               return run_unlocked(run, [&](const RunOptions& options) {
                 return fit_network(graphs, network, FitOptions{.seed = seed}, options);
               });
             });
  // others: nothing, or the graphs that the columns stand for (of the assignment kernels).
  module.def(
      "kernel_matrix",
      [](const GraphSet& graphs, const GraphSet* others, const std::string& kernel, int path_length, bool summed,
         double sigma, bool normalised, const std::string& features, bool edge_labels, const nb::tuple& run) {
        const KernelOptions options{parse_kernel(kernel),     path_length, summed, sigma, normalised,
                                    parse_features(features), edge_labels};
        return to_array(run_unlocked(run, [&](const RunOptions& how) {
          return others == nullptr ? kernel_matrix(graphs, options, how) : kernel_matrix(graphs, *others, options, how);
        }));
      },
      nb::arg("graphs"), nb::arg("others").none(), nb::arg("kernel"), nb::arg("path_length"), nb::arg("summed"),
      nb::arg("sigma"), nb::arg("normalised"), nb::arg("features"), nb::arg("edge_labels"), nb::arg("run"));
}

}  // namespace gckn::python
