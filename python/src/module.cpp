#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "answer.h"
#include "diagnostics.h"
#include "gaussian.h"
#include "own_problem.h"
#include "prior.h"
#include "run.h"
#include "varimesh/cancellation.h"
#include "varimesh/error.h"
#include "varimesh/version.h"

namespace nb = nanobind;

NB_MODULE(_core, module) {
  using namespace varimesh;
  module.doc() = "The C++ library as the package varimesh uses it; its own names are not for users.";
  nb::object input_error = nb::exception<InputError>(module, "InputError", PyExc_ValueError);
  input_error.attr("__doc__") = "Bad input, in one sentence: where it is, what was expected and what was found.";
  nb::register_exception_translator([](const std::exception_ptr& exception, void*) {
    try {
      std::rethrow_exception(exception);
    } catch (const Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  module.attr("version") = std::string(version());
  python::bind_gaussian(module);
  python::bind_answer(module);
  python::bind_diagnostics(module);
  python::bind_run(module);
  python::bind_prior(module);
  python::bind_own_problem(module);
}
