// The posterior means of theta that were published with the benchmark, beside ours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "varimesh/diagnostics/chain_diagnostics.h"
#include "varimesh/error.h"
#include "varimesh/io/csv.h"
#include "varimesh/paper/benchmark.h"
#include "varimesh/paper/figures.h"

namespace varimesh::paper {
namespace {

constexpr double agreement = 2;  // standard errors

/// Means of some pairs with bars of two standard errors, over the published ones.
struct Points {
  std::string series;
  std::vector<double> published, ours, bar;  ///< logarithms; the bars as those see them

  void add(const ThetaPair& pair) {
    published.push_back(std::log(pair.published));
    ours.push_back(std::log(pair.ours.value));
    bar.push_back(2 * std::hypot(pair.ours.error / pair.ours.value, pair.published_error / pair.published));
  }
};

Vector vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), std::ssize(values));
}

/// The means, or their differences from the published ones.
Json points_of(const std::vector<Points>& all, bool differences) {
  Json points = Json::array();
  for (const Points& some : all) {
    if (some.published.empty()) continue;
    const Vector x = vector_of(some.published), y = vector_of(some.ours);
    points.push_back({{"series", some.series},
                      {"x", numbers(x)},
                      {"y", numbers(differences ? Vector(y - x) : y)},
                      {"error", numbers(vector_of(some.bar))}});
  }
  return points;
}

}  // namespace

double ThetaPair::off() const { return (ours.value - published) / std::hypot(ours.error, published_error); }
bool ThetaPair::agrees() const { return std::abs(off()) <= agreement; }

std::vector<ThetaPair> compare_theta(std::string_view published, const result::Draws& draws) {
  const io::CsvTable table = io::parse_csv(published, "the published means of theta");
  const auto& means = table.column("mean_theta");
  const auto& differences = table.column("pair_reldiff");
  const auto side = static_cast<Index>(std::lround(std::sqrt(draws.size())));
  if (side * side != draws.size() || std::ssize(means) != draws.size())
    throw InputError(fmt::format("expected a published mean for each block of a square, found {} means and {} blocks",
                                 means.size(), draws.size()));
  const std::vector<Matrix> kappa = draws.series(0, draws.size());
  std::vector<ThetaPair> pairs;
  for (Index y = 0; y < side; ++y) {
    for (Index x = y; x < side; ++x) {
      const auto a = static_cast<std::size_t>(x + side * y), b = static_cast<std::size_t>(y + side * x);
      const Matrix theta = 0.5 * (kappa[a].array().exp() + kappa[b].array().exp());
      // The published mean of a pair is known to half the difference within it.
      pairs.push_back({static_cast<Index>(a),
                       means[a],
                       0.5 * std::abs(differences[a]) * means[a],
                       {theta.mean(), diagnostics::mcse_mean(theta)}});
    }
  }
  return pairs;
}

std::string theta_findings(const std::vector<ThetaPair>& pairs) {
  std::string others;
  int different = 0, lower = 0;
  for (const ThetaPair& pair : pairs) {
    if (pair.agrees()) continue;
    ++different;
    lower += int{pair.off() < 0};
    others += fmt::format("{}block {} ({:.3g}, published {:.3g}, {:.1f} errors)", others.empty() ? "" : ", ",
                          pair.block, pair.ours.value, pair.published, std::abs(pair.off()));
  }
  std::string words = fmt::format(
      "The benchmark comes with the posterior mean of \u03b8. Of {} pairs of blocks, {} agree with it within two "
      "standard errors.",
      pairs.size(), std::ssize(pairs) - different);
  if (different == 0) return words;
  words += fmt::format(" The others: {}. Ours is the lower one in {} of these {}.", others, lower, different);
  if (2 * lower > different)
    words +=
        " That is to be expected where rare large \u03b8 carry the mean: few or none are among the draws, and error "
        "bars from the same draws cannot know of those that are missing. A longer computation (docs/benchmarks.md), "
        "with the mean given all other blocks by quadrature at 400 draws, agrees in 34 of 36 pairs.";
  return words;
}

Json theta_figure(const std::vector<ThetaPair>& pairs) {
  std::vector<Points> points = {{"within 2 standard errors", {}, {}, {}}, {"further off", {}, {}, {}}};
  for (const ThetaPair& pair : pairs) {
    points[pair.agrees() ? 0 : 1].add(pair);
  }
  const auto [low, high] = std::ranges::minmax(pairs, {}, &ThetaPair::published);
  const Vector ends = Eigen::Vector2d(std::log(low.published), std::log(high.published));
  const auto panel = [&](bool differences, const char* label) -> Json {
    const Vector line = differences ? Vector(0 * ends) : ends;
    return {{"kind", "curves"},
            {"lines", {{{"series", "equal"}, {"x", numbers(ends)}, {"y", numbers(line)}, {"dash", true}}}},
            {"points", points_of(points, differences)},
            {"x_axis", axis("log of the published mean of \u03b8")},
            {"y_axis", axis(label)}};
  };
  Figure words{"figure-theta-benchmark",
               "The published posterior mean, prior N(4, 2\u00b2)",
               "Means of \u03b8 = exp(\u03ba) by HMC against those published with the benchmark (2\u00b710\u00b9\u00b9 "
               "steps of a random walk), with \u00b1 2 Monte Carlo standard errors, and their difference. Blocks that "
               "mirror each other at the diagonal are averaged.",
               {},
               {},
               {}};
  words.shared = {{"x", "none"}, {"y", "none"}};
  return figure(words, {{panel(false, "log of our mean of \u03b8"), panel(true, "log of ours / published")}});
}

}  // namespace varimesh::paper
