#include "varimesh/run/formula.h"

#include <gmock/gmock.h>

#include <cmath>

#include "varimesh/run/expression.h"

namespace varimesh::run {
namespace {

const std::vector<std::string> names{"q", "w"};

TEST(Formula, AgreesWithTheParserOfExpressions) {
  for (const char* text : {"1 + 2 * 3 ^ 2 ^ 0.5",
                           "-2 ^ 2",
                           "2 ^ -1",
                           "-x ^ 2 * -y",
                           "1 - 2 - 3",
                           "8 / 4 / 2",
                           "x < y ? 1 : y < 0.1 ? 2 : 3",
                           "x < 0.5 && y > 0.5 || x == y",
                           "min(x, y, 0.2) + max(x, 1)",
                           "sum(x, y, 1) * avg(x, y)",
                           "sin(pi * x) * exp(-y)",
                           "atan2(y, x + 1)",
                           "rint(3 * x) + sign(x - 0.5)",
                           "log(e) + ln(2) + log2(8) + log10(100)",
                           "1e-3 * x + .5",
                           "sqrt(abs(x - y))",
                           "tanh(x) + asinh(y) + cosh(x) - acos(x / 4)",
                           "(x + y) * (x - y)",
                           "x >= y",
                           "x != y",
                           "+x",
                           "2 * -x",
                           "1 <= 2 == 1"}) {
    const Formula formula(text, {});
    const ScalarFunction known = parse_expression(text, "here");
    for (const Point& x : {Point(0.3, 0.7, 0), Point(0.9, 0.1, 0), Point(0.5, 0.5, 0)})
      EXPECT_NEAR(formula.value(x, {}), known(x), 1e-15 * (1 + std::abs(known(x)))) << text;
  }
}

TEST(Formula, HasTheDerivativesOfItsDifferences) {
  for (const char* text :
       {"q * exp(-x^2 / w)", "q^w", "atan2(q, w * x)", "log(q) / sqrt(w) + log2(q) - log10(w)", "q > 1 ? q * w : w^2",
        "min(q, w) * max(q, w, x)", "tan(q / 3) + asin(w / 9) + acos(q / 9) + atan(q * w)",
        "sinh(q) - cosh(w) + tanh(q) + asinh(q) + acosh(1 + w) + atanh(q / 5)", "abs(x - q) + sum(q, w, q) - avg(q, w)",
        "cos(q * w) - sin(q) + ln(w)"}) {
    const Formula formula(text, names);
    const Point x(0.3, 0.7, 0);
    const std::vector<double> at{1.3, 2.1};
    for (const Index k : formula.unknowns()) {
      constexpr double h = 1e-5;  // errors of h^2 f'''/6 and eps / h
      auto above = at, below = at;
      above[static_cast<std::size_t>(k)] += h;
      below[static_cast<std::size_t>(k)] -= h;
      EXPECT_NEAR(formula.derivative(x, at, k), (formula.value(x, above) - formula.value(x, below)) / (2 * h), 1e-8)
          << text;
    }
  }
}

TEST(Formula, KnowsWhetherItIsAffineInItsUnknowns) {
  for (const char* text :
       {"q", "q * (1 - y) + 2", "x > 0.5 ? q : -w", "(q + w) / (1 + x)", "sum(q, x * w)", "-q + exp(x)"})
    EXPECT_TRUE(Formula(text, names).is_affine()) << text;
  for (const char* text : {"q * w", "q^2", "exp(q)", "1 / q", "q > 1 ? x : y", "max(q, 0)", "abs(q)"})
    EXPECT_FALSE(Formula(text, names).is_affine()) << text;
}

TEST(Formula, ListsTheUnknownsInIt) {
  EXPECT_THAT(Formula("w * x", names).unknowns(), testing::ElementsAre(1));
  EXPECT_THAT(Formula("exp(x)", names).unknowns(), testing::IsEmpty());
  EXPECT_THAT((Formula("q", names) * Formula([](const Point&) { return 2.0; })).unknowns(), testing::ElementsAre(0));
}

}  // namespace
}  // namespace varimesh::run
