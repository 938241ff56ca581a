#include "diagnostics.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "arrays.h"
#include "varimesh/diagnostics/chain_diagnostics.h"
#include "varimesh/diagnostics/psis.h"
#include "varimesh/error.h"

namespace nb = nanobind;

namespace varimesh::python {
namespace {

/// Draws of several quantities: quantity x chain x draw.
using ChainsIn = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

double (*find_statistic(const std::string& name))(const Matrix&) {
  if (name == "rhat") return diagnostics::rhat;
  if (name == "ess_bulk") return diagnostics::ess_bulk;
  if (name == "ess_tail") return diagnostics::ess_tail;
  if (name == "mcse_mean") return diagnostics::mcse_mean;
  throw InputError(fmt::format("no diagnostic '{}'", name));
}

Vector diagnose_each(const std::string& name, const ChainsIn& draws) {
  const auto statistic = find_statistic(name);
  const auto quantities = static_cast<Eigen::Index>(draws.shape(0)), chains = static_cast<Eigen::Index>(draws.shape(1)),
             length = static_cast<Eigen::Index>(draws.shape(2));
  Vector values(quantities);
  for (Eigen::Index q = 0; q < quantities; ++q)  // a chain's draws, one after the other, are a column
    values[q] = statistic(Eigen::Map<const Matrix>(draws.data() + q * chains * length, length, chains));
  return values;
}

}  // namespace

void bind_diagnostics(nb::module_& module) {
  module.def(
      "diagnose",
      [](const std::string& name, const ChainsIn& draws) {
        Vector values;
        {
          const nb::gil_scoped_release release;
          values = diagnose_each(name, draws);
        }
        return keep(std::move(values));
      },
      nb::arg("name"), nb::arg("draws"), "A diagnostic of several quantities, draws being quantity x chain x draw.");
  module.def(
      "psis",
      [](const VectorIn& log_ratios) {
        constexpr const char* verdicts[] = {"good", "poor", "bad", "undetermined"};
        diagnostics::PsisResult result = diagnostics::psis(read(log_ratios));
        return nb::make_tuple(keep(std::move(result.log_weights)), result.khat, result.threshold,
                              result.effective_sample_size, verdicts[static_cast<std::size_t>(result.verdict)]);
      },
      nb::arg("log_ratios"),
      "Pareto-smoothed importance weights: logarithms, k-hat, threshold, draws they are worth, verdict.");
}

}  // namespace varimesh::python
