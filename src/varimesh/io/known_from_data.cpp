#include "varimesh/io/known_from_data.h"

#include <fmt/format.h>

#include <cmath>

namespace varimesh::io {
namespace {

constexpr double known = 0.5, untouched = 0.9;

/// "none", "3 %", "all"
std::string percent(double share) {
  if (share <= 0) return "none";
  if (share >= 1) return "all";
  return share < 0.01 ? "less than 1 %" : share > 0.99 ? "more than 99 %" : fmt::format("{:.0f} %", 100 * share);
}

}  // namespace

Vector share_of_prior(const result::MethodRecord& method) {
  const Matrix& draws = method.prior_draws;
  constexpr Eigen::Index enough = 100;  // for an sd within some 7 %
  if (draws.cols() < 2 || draws.rows() != method.kappa.sd.size()) return Vector(0);
  const Vector mean = draws.rowwise().mean();
  Vector variance = (draws.colwise() - mean).rowwise().squaredNorm() / static_cast<double>(draws.cols() - 1);
  if (draws.cols() < enough) variance.setConstant(variance.mean());
  if (!(variance.array() > 0).all()) return Vector(0);
  return method.kappa.sd.array() / variance.array().sqrt();
}

std::string known_in_words(const result::ProblemRecord& problem, const Vector& share_of_all) {
  const Vector share = problem.field_part(share_of_all);
  if (share.size() == 0 || !share.allFinite()) return "";
  const auto part = [&](auto condition) {
    return static_cast<double>((share.unaryExpr([&](double s) { return condition(s) ? 1.0 : 0.0; })).sum()) /
           static_cast<double>(share.size());
  };
  const double from_data = part([](double s) { return s <= known; });
  const double from_prior = part([](double s) { return s >= untouched; });
  const char* what = problem.on_nodes() ? "nodes" : problem.one_unknown_per_cell() ? "cells" : "unknowns";
  std::string text =
      fmt::format("The data have {}halved the standard deviation that the prior gives \u03ba in {} of the {}{}",
                  from_data > 0 ? "at least " : "", percent(from_data), what,
                  from_data > 0 ? ": there the field is known from data." : ".");
  text += from_prior > 0
              ? fmt::format(" In {} they have lowered it by less than a tenth: there it is little else than the prior.",
                            percent(from_prior))
              : " Nowhere have they lowered it by less than a tenth.";
  return text;
}

}  // namespace varimesh::io
