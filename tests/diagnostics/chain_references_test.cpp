// Against ArviZ 0.23.4 on stored series: tests/data/chain-diagnostics, whose make_references.py says where it differs
// from the R package posterior, which is followed there.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "varimesh/diagnostics/chain_diagnostics.h"
#include "varimesh/diagnostics/energy.h"
#include "varimesh/io/csv.h"

namespace varimesh::diagnostics {
namespace {

const std::filesystem::path folder =
    std::filesystem::path(VARIMESH_SOURCE_DIR) / "tests" / "data" / "chain-diagnostics";

nlohmann::json references() { return nlohmann::json::parse(std::ifstream(folder / "reference.json")); }

Matrix read_series(const std::string& name) {
  const io::CsvTable table = io::read_csv(folder / (name + ".csv"));
  Matrix draws(table.num_rows(), table.columns.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    draws.col(static_cast<Eigen::Index>(c)) = Eigen::Map<const Vector>(table.values[c].data(), draws.rows());
  return draws;
}

class ChainReferences : public testing::TestWithParam<std::string> {};

/// The largest difference measured is 2e-13, from rounding in sums and Fourier transforms; other compilers may sum in
/// another order.
void expect_reference(double found, const std::string& series, const std::string& key) {
  const nlohmann::json expected = references().at("series").at(series).at(key);
  if (expected.is_null()) {
    EXPECT_TRUE(std::isnan(found)) << key << ": " << found;
  } else {
    EXPECT_NEAR(found, expected.get<double>(), 1e-9 * std::abs(expected.get<double>())) << key;
  }
}

TEST_P(ChainReferences, RhatIsArviz) { expect_reference(rhat(read_series(GetParam())), GetParam(), "rhat"); }

TEST_P(ChainReferences, EffectiveSampleSizesAreArviz) {
  const Matrix draws = read_series(GetParam());
  expect_reference(ess_bulk(draws), GetParam(), "ess_bulk");
  expect_reference(ess_tail(draws), GetParam(), "ess_tail");
  expect_reference(ess_mean(draws), GetParam(), "ess_mean");
  expect_reference(ess_sd(draws), GetParam(), "ess_sd");
  expect_reference(ess_quantile(draws, 0.5), GetParam(), "ess_median");
}

TEST_P(ChainReferences, StandardErrorsAreArviz) {
  const Matrix draws = read_series(GetParam());
  expect_reference(mcse_mean(draws), GetParam(), "mcse_mean");
  expect_reference(mcse_sd(draws), GetParam(), "mcse_sd");
  expect_reference(mcse_quantile(draws, 0.05), GetParam(), "mcse_q05");
  expect_reference(mcse_quantile(draws, 0.5), GetParam(), "mcse_median");
  expect_reference(mcse_quantile(draws, 0.95), GetParam(), "mcse_q95");
}

TEST_P(ChainReferences, DiagnosesAllAtOnceTheSame) {
  const QuantityDiagnostics all = diagnose(read_series(GetParam()));
  expect_reference(all.mean, GetParam(), "mean");
  expect_reference(all.sd, GetParam(), "sd");
  expect_reference(all.mcse_mean, GetParam(), "mcse_mean");
  expect_reference(all.mcse_sd, GetParam(), "mcse_sd");
  expect_reference(all.rhat, GetParam(), "rhat");
  expect_reference(all.ess_bulk, GetParam(), "ess_bulk");
  expect_reference(all.ess_tail, GetParam(), "ess_tail");
  expect_reference(all.q05, GetParam(), "q05");
  expect_reference(all.median, GetParam(), "median");
  expect_reference(all.q95, GetParam(), "q95");
}

INSTANTIATE_TEST_SUITE_P(Series, ChainReferences,
                         testing::Values("independent", "autocorrelated", "antithetic", "different_means",
                                         "different_scales", "cauchy", "counts", "binary", "constant", "odd",
                                         "one_chain", "two_chains_far_from_zero"),
                         [](const auto& test) { return test.param; });

TEST(EnergyReferences, EnergyFractionsAreArviz) {
  const nlohmann::json data = references();
  const nlohmann::json& expected = data.at("energies").at("e_bfmi");
  const Matrix energies = read_series("energies");
  ASSERT_EQ(energies.cols(), static_cast<Eigen::Index>(expected.size()));
  for (Eigen::Index c = 0; c < energies.cols(); ++c) {
    EnergyMoments moments;
    for (const double energy : energies.col(c)) moments.add(energy);
    const double reference = expected[static_cast<std::size_t>(c)].get<double>();
    EXPECT_NEAR(moments.e_bfmi(), reference, 1e-12 * reference);  // sums of 150 terms
  }
}

}  // namespace
}  // namespace varimesh::diagnostics
