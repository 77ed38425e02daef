// SPDX-License-Identifier: BSD-3-Clause
#include "network/anchor_store.h"

#include "network/compiled_set.h"
#include "network/config_json.h"

namespace gckn {
namespace {

// All that the anchors of layer j depend on, j > 0.
std::string further_key(const NetworkConfig& config, std::size_t j) {
  std::string key = first_layer_key(config);
  for (std::size_t i = 0; i < j; ++i) key += layer_to_json(config.layers[i]).dump();
  const LayerConfig& own = config.layers[j];
  LayerConfig plain;
  plain.kind = own.kind;
  plain.path_length = own.path_length;
  plain.all_lengths = own.all_lengths;
  plain.filters = own.filters;
  return key + layer_to_json(plain).dump();
}

}  // namespace

template <typename Real>
const LearntLayer<Real>* AnchorStore<Real>::find(const NetworkConfig& config, std::size_t j) {
  const LayerConfig& wanted = config.layers[j];
  LearntLayer<Real>* found = nullptr;
  if (j == 0) {
    const auto same = first_layer_key_ == first_layer_key(config) ? first_.find(wanted.filters) : first_.end();
    if (same != first_.end()) found = &same->second;
  } else if (j < further_.size() && further_[j].key == further_key(config, j)) {
    found = &further_[j].learnt;
  }
  if (found == nullptr) return nullptr;
  const int filters = found->layer.config.filters;  // may be fewer than asked for
  found->layer.config = wanted;
  found->layer.config.filters = filters;
  return found;
}

template <typename Real>
void AnchorStore<Real>::keep(const NetworkConfig& config, std::size_t j, const LearntLayer<Real>& learnt) {
  if (j == 0) {
    if (first_layer_key_ != first_layer_key(config)) first_.clear();
    first_layer_key_ = first_layer_key(config);
    first_[config.layers[0].filters] = learnt;
    return;
  }
  if (further_.size() <= j) further_.resize(j + 1);
  further_[j] = {further_key(config, j), learnt};
}

template class AnchorStore<float>;
template class AnchorStore<double>;

}  // namespace gckn
