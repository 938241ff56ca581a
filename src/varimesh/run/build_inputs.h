#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "varimesh/fem/inputs.h"
#include "varimesh/run/config.h"

namespace varimesh::run {

/// Collects what an equation has of the unknowns in expressions. An expression that is affine in its unknowns has one
/// amplitude for each of them; any other has one for each point at which it is evaluated.
class InputBuilder {
 public:
  /// Source fields come before scalars.
  InputBuilder(const std::vector<UnknownConfig>& unknowns, const std::vector<fem::CoefficientMap>& fields);

  /// Adds a term, and gives what of it has no unknowns.
  ScalarFunction add(fem::InputTerm::Kind kind, const std::string& part, const Formula& formula);
  /// Adds a rate at a point.
  void add_total(const Point& point, const Formula& total);

  /// The value of a formula where the variables of all unknowns are the same number.
  double value_at(const Formula& formula, const Point& x, double variable) const;

  fem::Inputs take() { return std::move(inputs_); }

 private:
  class Scalars;

  std::shared_ptr<Scalars> scalars_;
  fem::Inputs inputs_;
};

}  // namespace varimesh::run
