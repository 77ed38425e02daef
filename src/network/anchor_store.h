// SPDX-License-Identifier: BSD-3-Clause
// Anchors that networks share which learn from the same graphs: those of a layer depend on the layers before it and on
// its own kind, length and number of filters, but not on its sigma or pooling. A search learns them once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gckn/network.h"
#include "network/anchors.h"

namespace gckn {

// For one set of training graphs, encoding and FitOptions. Keeps the first layers of networks that begin with paths of
// the same kind and length, and of each further layer the last one: order a search as for PatternStore, and so that
// networks follow each other that differ in the global pooling only. Not for several threads at once.
template <typename Real>
class AnchorStore {
 public:
  // Layer j of a network, with the configuration it has there; null if there is none like it.
  const LearntLayer<Real>* find(const NetworkConfig& config, std::size_t j);
  void keep(const NetworkConfig& config, std::size_t j, const LearntLayer<Real>& learnt);

 private:
  std::string first_layer_key_;
  std::map<int, LearntLayer<Real>> first_;  // by filters
  struct Further {
    std::string key;
    LearntLayer<Real> learnt;
  };
  std::vector<Further> further_;  // by layer; the first is of no use
};

}  // namespace gckn
