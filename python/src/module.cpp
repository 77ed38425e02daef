// SPDX-License-Identifier: BSD-3-Clause
// The module gckn._engine: the library as it is, for the Python code beside it, which has the manners.
#include <nanobind/nanobind.h>

#include "bindings.h"
#include "gckn/error.h"
#include "gckn/version.h"

namespace nb = nanobind;

NB_MODULE(_engine, module) {
  module.doc() = "The engine of gckn. Use the package gckn.";
  module.attr("version") = gckn::kVersion;
  // Python need not free everything when it ends: a traceback or a cell of a notebook may still hold graphs.
  nb::set_leak_warnings(false);
  // Bad data and bad options are both ValueErrors; nanobind turns std::invalid_argument, which UsageError is, into one.
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const gckn::InputError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const gckn::Cancelled& error) {
      PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
    }
  });
  gckn::python::bind_graph_set(module);
  gckn::python::bind_molecules(module);
  gckn::python::bind_network(module);
  gckn::python::bind_model(module);
  gckn::python::bind_evaluation(module);
  gckn::python::bind_explanations(module);
}
