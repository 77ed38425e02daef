// SPDX-License-Identifier: BSD-3-Clause
// The module gckn._engine: the library as it is, for the Python code beside it, which has the manners.
#include <nanobind/nanobind.h>

#include <exception>
#include <string_view>

#include "bindings.h"
#include "gckn/error.h"
#include "gckn/version.h"

namespace nb = nanobind;

namespace {

// What quotes a damaged file may be no UTF-8.
void set_error(PyObject* type, const std::exception& error) {
  const std::string_view what = error.what();
  PyObject* text = PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "backslashreplace");
  if (text == nullptr) return;  // and there is an error already: of memory
  PyErr_SetObject(type, text);
  Py_DECREF(text);
}

}  // namespace

NB_MODULE(_engine, module) {
  module.doc() = "The engine of gckn. Use the package gckn.";
  module.attr("version") = gckn::kVersion;
  // Python need not free everything when it ends: a traceback or a cell of a notebook may still hold graphs.
  nb::set_leak_warnings(false);
  // Bad data and bad options are both ValueErrors.
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const gckn::InputError& error) {
      set_error(PyExc_ValueError, error);
    } catch (const gckn::UsageError& error) {
      set_error(PyExc_ValueError, error);
    } catch (const gckn::Cancelled& error) {
      set_error(PyExc_KeyboardInterrupt, error);
    }
  });
  gckn::python::bind_graph_set(module);
  gckn::python::bind_molecules(module);
  gckn::python::bind_network(module);
  gckn::python::bind_model(module);
  gckn::python::bind_evaluation(module);
  gckn::python::bind_explanations(module);
  gckn::python::bind_end();
}
