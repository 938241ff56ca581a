#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "varimesh/types.h"

namespace varimesh::run {

/// A function of position and of unknown scalars, with exact derivatives by these. A value; its members may be called
/// from several threads.
class Formula {
 public:
  /// What an expression that parse_expression accepts denotes, with unknowns called by these names.
  Formula(const std::string& expression, const std::vector<std::string>& unknowns);
  /// A function of position alone.
  explicit Formula(ScalarFunction known);
  friend Formula operator*(const Formula& a, const Formula& b);

  /// The unknowns that it depends on, by number, ascending.
  const std::vector<Index>& unknowns() const { return unknowns_; }
  /// Whether it is f_0(x) + sum_k s_k f_k(x), as one sees from how it is written.
  bool is_affine() const;

  double value(const Point& x, std::span<const double> scalars) const;
  /// Its derivative by one of the scalars.
  double derivative(const Point& x, std::span<const double> scalars, Index unknown) const;

 private:
  struct Node;
  using Shared = std::shared_ptr<const Node>;
  struct Reader;
  struct Number;
  Formula(Shared root, std::vector<Index> unknowns) : root_(std::move(root)), unknowns_(std::move(unknowns)) {}
  Number evaluate(const Node& node, const Point& x, std::span<const double> scalars, Index unknown) const;
  static Number combine(const Node& node, const Number& a, const Number& b);
  static int degree(const Node& node);

  Shared root_;
  std::vector<Index> unknowns_;
};

}  // namespace varimesh::run
