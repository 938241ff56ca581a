#include "varimesh/run/expression.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include "varimesh/error.h"

namespace varimesh::run {
namespace {

std::string error_of(const std::string& expression) {
  try {
    parse_expression(expression, "problem.toml:3: equation.source");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Expression, AgreesWithTheFunctionsOfTheLanguage) {
  struct Case {
    std::string expression;
    ScalarFunction function;
  };
  const double pi = std::numbers::pi;
  const std::vector<Case> cases = {
      {"10", [](const Point&) { return 10.0; }},
      {"-x^2 + 2*y - z/3", [](const Point& p) { return -p.x() * p.x() + 2 * p.y() - p.z() / 3; }},
      {"sin(pi*x)*cos(pi*y)", [=](const Point& p) { return std::sin(pi * p.x()) * std::cos(pi * p.y()); }},
      {"exp(-((x-0.5)^2+(y-0.5)^2)/0.02)",
       [](const Point& p) { return std::exp(-(std::pow(p.x() - 0.5, 2) + std::pow(p.y() - 0.5, 2)) / 0.02); }},
      {"e^x", [](const Point& p) { return std::pow(std::numbers::e, p.x()); }},
      {"log(1+x)+ln(2+y)", [](const Point& p) { return std::log(1 + p.x()) + std::log(2 + p.y()); }},
      {"sqrt(x)+tanh(y)+atan2(y,x)",
       [](const Point& p) { return std::sqrt(p.x()) + std::tanh(p.y()) + std::atan2(p.y(), p.x()); }},
      {"x > 0.5 ? 1 : y < 0.5 ? 2 : 3", [](const Point& p) { return p.x() > 0.5   ? 1.0
                                                                    : p.y() < 0.5 ? 2.0
                                                                                  : 3.0; }},
      {"x <= 0.5 && y >= 0.5 || x == y", [](const Point& p) { return p.x() <= 0.5 && p.y() >= 0.5 ? 1.0 : 0.0; }},
      {"max(x, y, z)\n + min(x, y)", [](const Point& p) { return p.maxCoeff() + std::min(p.x(), p.y()); }},
      {"2^3^2", [](const Point&) { return 512.0; }},
  };
  for (const Case& c : cases) {
    const ScalarFunction function = parse_expression(c.expression, "test");
    for (const Point& p : {Point(0.25, 0.75, 0.5), Point(0.9, 0.1, 0), Point(0.6, 0.7, 1)}) {
      EXPECT_NEAR(function(p), c.function(p), 1e-14) << c.expression << " at " << p.transpose();
    }
  }
}

TEST(Expression, EvaluatesOnlyTheChosenBranch) {
  const ScalarFunction function = parse_expression("x > 0 ? 1/x : 0", "test");
  EXPECT_EQ(function(Point(0, 0, 0)), 0);
  EXPECT_EQ(function(Point(0.5, 0, 0)), 2);
}

TEST(Expression, CopiesOfAFunctionAgree) {
  ScalarFunction copy;
  {
    const ScalarFunction function = parse_expression("x+2*y", "test");
    copy = function;
  }
  EXPECT_EQ(copy(Point(1, 2, 0)), 5);
}

TEST(Expression, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"sin(x", "missing parenthesis at character 6"},
      {"2 +", "unexpected end at character 4"},
      {"2 x", "unexpected 'x' at character 3"},
      {"x**2", "unexpected '*' at character 3"},
      {"(1,2)", "unexpected ',' at character 6"},
      {"x, y", "unexpected ',' at character 2"},
      {"x = 3", "assignment is not allowed; compare with '==' at character 3"},
      {"x$y", "unexpected '$' at character 2"},
      {"\"x\"", "unexpected '\"' at character 1"},
      {"\xC3\xA9", "unexpected character at character 1"},
      {"1e999", "bad number '1e999' at character 1"},
      {"sin", "expected arguments in parentheses after 'sin' at character 1"},
      {"atan2(x)", "too few arguments for 'atan2' at character 8"},
      {"x > 0 ? 1", "expected ':' after '?'"},
      {" ", "expected an expression, found nothing"},
      {"sine(x)", "unknown name 'sine' at character 1; did you mean 'sin'?"},
      {"1 + time",
       "unknown name 'time' at character 5; the names are x, y, z, pi, e, abs, acos, acosh, asin, asinh, atan, atan2, "
       "atanh, avg, cos, cosh, exp, ln, log, log10, log2, max, min, rint, sign, sin, sinh, sqrt, sum, tan, tanh"},
  };
  for (const auto& [expression, reason] : cases) {
    EXPECT_EQ(error_of(expression), "problem.toml:3: equation.source: bad expression '" + expression + "': " + reason);
  }
}

TEST(Expression, BoundsLengthAndNesting) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '(') + "x" + std::string(depth, ')'); };
  EXPECT_EQ(error_of(nested(100)), "no error");
  EXPECT_NE(error_of(nested(101)).find("more than 100 nested parentheses at character 101"), std::string::npos);
  std::string choices = "1";
  for (int i = 0; i < 101; ++i) choices = "x?" + choices + ":2";
  EXPECT_NE(error_of(choices).find("more than 100 choices"), std::string::npos);
  EXPECT_EQ(error_of(fmt::format("{:<10000}", "x")), "no error");
  EXPECT_NE(error_of(fmt::format("{:<10001}", "x")).find("at most 10000 characters, found 10001"), std::string::npos);
}

TEST(Expression, RefusesANonFiniteValueAndNamesThePoint) {
  const ScalarFunction function = parse_expression("1/x", "problem.toml:3: equation.source");
  EXPECT_EQ(function(Point(2, 0, 0)), 0.5);
  try {
    function(Point(0, 0.5, 0));
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "problem.toml:3: equation.source: expected a finite value of '1/x' at (0, 0.5, 0), found inf");
  }
}

TEST(Expression, GivesTheSameValuesFromFourThreads) {
  const ScalarFunction function = parse_expression("sin(3*x)+y^2*exp(z)", "test");
  const auto point = [](int i) { return Point(1e-3 * i, 1 - 1e-4 * i, 1e-5 * i); };
  constexpr int count = 20'000;
  std::vector<double> expected(count);
  for (int i = 0; i < count; ++i) expected[i] = function(point(i));
  std::vector<std::vector<double>> found(4, std::vector<double>(count));
  std::vector<std::thread> threads;
  for (std::vector<double>& values : found) {
    threads.emplace_back([&] {
      for (int i = 0; i < count; ++i) values[i] = function(point(i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& values : found) EXPECT_EQ(values, expected);
}

}  // namespace
}  // namespace varimesh::run
