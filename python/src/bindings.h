// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the module add to it, one file each.
#pragma once

#include <nanobind/nanobind.h>

namespace gckn::python {

void bind_graph_set(nanobind::module_& module);
void bind_molecules(nanobind::module_& module);
void bind_network(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_evaluation(nanobind::module_& module);
void bind_explanations(nanobind::module_& module);
void bind_end();  // of Python, which waits for calls that run

}  // namespace gckn::python
