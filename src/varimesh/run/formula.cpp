#include "varimesh/run/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numbers>
#include <set>
#include <string_view>
#include <utility>

#include "varimesh/error.h"

namespace varimesh::run {

/// A number with its derivative by one scalar.
struct Formula::Number {
  double value = 0, slope = 0;
};

struct Formula::Node {
  enum class Kind {
    constant,
    coordinate,
    unknown,
    known,
    negate,
    add,
    subtract,
    multiply,
    divide,
    power,
    compare,
    choose,
    call
  };
  Kind kind = Kind::constant;
  double value = 0;  ///< of a constant
  Index index = 0;   ///< of a coordinate or an unknown
  ScalarFunction known = nullptr;
  std::string name;  ///< of a comparison or function
  std::vector<Shared> parts;
};

/// Recursive descent, with muParser's precedence: ?: below ||, &&, comparisons, + -, * /, then signs, then ^.
struct Formula::Reader {
  std::string_view text;
  const std::vector<std::string>& names;
  std::set<Index> used = {};
  std::size_t at = 0;

  [[noreturn]] void fail() const {
    throw InputError(
        fmt::format("expressions of unknowns take arithmetic and the usual functions, found '{}' at character {}",
                    text.substr(at, 12), at + 1));
  }
  void skip() {
    while (at < text.size() && std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos) ++at;
  }
  bool take(std::string_view token) {
    skip();
    if (text.substr(at, token.size()) != token) return false;
    at += token.size();
    return true;
  }
  static Shared make(Node::Kind kind, std::vector<Shared> parts, std::string name = "") {
    Node node;
    node.kind = kind;
    node.parts = std::move(parts);
    node.name = std::move(name);
    return std::make_shared<const Node>(std::move(node));
  }

  Shared choice() {
    Shared condition = binary(0);
    if (!take("?")) return condition;
    Shared yes = choice();
    if (!take(":")) fail();
    Shared no = choice();
    return make(Node::Kind::choose, {std::move(condition), std::move(yes), std::move(no)});
  }

  /// Operators of a level and above, from the left.
  Shared binary(std::size_t level) {
    using Kind = Node::Kind;
    struct Operator {
      std::string_view token;
      Kind kind;
    };
    static const std::array<std::vector<Operator>, 5> levels{{{{"||", Kind::compare}},
                                                              {{"&&", Kind::compare}},
                                                              {{"<=", Kind::compare},
                                                               {">=", Kind::compare},
                                                               {"==", Kind::compare},
                                                               {"!=", Kind::compare},
                                                               {"<", Kind::compare},
                                                               {">", Kind::compare}},
                                                              {{"+", Kind::add}, {"-", Kind::subtract}},
                                                              {{"*", Kind::multiply}, {"/", Kind::divide}}}};
    if (level == levels.size()) return sign();
    Shared left = binary(level + 1);
    for (bool found = true; found;) {
      found = false;
      for (const auto& [token, kind] : levels[level]) {
        if (!take(token)) continue;
        Shared right = binary(level + 1);
        left = make(kind, {std::move(left), std::move(right)}, std::string(token));
        found = true;
        break;
      }
    }
    return left;
  }

  Shared sign() {
    if (take("-")) return make(Node::Kind::negate, {sign()});
    if (take("+")) return sign();
    Shared base = primary();
    if (take("^")) return make(Node::Kind::power, {std::move(base), sign()});  // from the right
    return base;
  }

  Shared primary() {
    skip();
    if (take("(")) {
      Shared inside = choice();
      if (!take(")")) fail();
      return inside;
    }
    if (at < text.size() && (std::isdigit(static_cast<unsigned char>(text[at])) || text[at] == '.')) {
      Node node;
      const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), node.value);
      if (error != std::errc{}) fail();
      at = static_cast<std::size_t>(end - text.data());
      return std::make_shared<const Node>(std::move(node));
    }
    const std::size_t first = at;
    while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_')) ++at;
    const std::string name(text.substr(first, at - first));
    if (name.empty()) fail();
    Node node;
    if (const auto found = std::ranges::find(names, name); found != names.end()) {
      node.kind = Node::Kind::unknown;
      node.index = static_cast<Index>(found - names.begin());
      used.insert(node.index);
    } else if (name == "x" || name == "y" || name == "z") {
      node.kind = Node::Kind::coordinate;
      node.index = name[0] - 'x';
    } else if (name == "pi" || name == "_pi") {
      node.value = std::numbers::pi;
    } else if (name == "e" || name == "_e") {
      node.value = std::numbers::e;
    } else {
      node.kind = Node::Kind::call;
      node.name = name;
      if (!take("(")) fail();
      do node.parts.push_back(choice());
      while (take(","));
      if (!take(")")) fail();
      const Number probe = call(name, std::vector<Number>(node.parts.size(), {0.5, 0}));
      if (std::isnan(probe.slope)) {
        at = first;
        fail();
      }
    }
    return std::make_shared<const Node>(std::move(node));
  }

  /// f(a), f'(a) a'; a slope of NaN for a function that is not known with so many arguments.
  static Number call(std::string_view name, const std::vector<Number>& arguments);
};

namespace {

struct OneArgument {
  double (*value)(double);
  double (*slope)(double);
};

const std::map<std::string_view, OneArgument> functions_of_one{
    {"sin", {[](double v) { return std::sin(v); }, [](double v) { return std::cos(v); }}},
    {"cos", {[](double v) { return std::cos(v); }, [](double v) { return -std::sin(v); }}},
    {"tan", {[](double v) { return std::tan(v); }, [](double v) { return 1 + std::tan(v) * std::tan(v); }}},
    {"asin", {[](double v) { return std::asin(v); }, [](double v) { return 1 / std::sqrt(1 - v * v); }}},
    {"acos", {[](double v) { return std::acos(v); }, [](double v) { return -1 / std::sqrt(1 - v * v); }}},
    {"atan", {[](double v) { return std::atan(v); }, [](double v) { return 1 / (1 + v * v); }}},
    {"sinh", {[](double v) { return std::sinh(v); }, [](double v) { return std::cosh(v); }}},
    {"cosh", {[](double v) { return std::cosh(v); }, [](double v) { return std::sinh(v); }}},
    {"tanh", {[](double v) { return std::tanh(v); }, [](double v) { return 1 - std::tanh(v) * std::tanh(v); }}},
    {"asinh", {[](double v) { return std::asinh(v); }, [](double v) { return 1 / std::sqrt(v * v + 1); }}},
    {"acosh", {[](double v) { return std::acosh(v); }, [](double v) { return 1 / std::sqrt(v * v - 1); }}},
    {"atanh", {[](double v) { return std::atanh(v); }, [](double v) { return 1 / (1 - v * v); }}},
    {"exp", {[](double v) { return std::exp(v); }, [](double v) { return std::exp(v); }}},
    {"ln", {[](double v) { return std::log(v); }, [](double v) { return 1 / v; }}},
    {"log", {[](double v) { return std::log(v); }, [](double v) { return 1 / v; }}},
    {"log2", {[](double v) { return std::log2(v); }, [](double v) { return 1 / (v * std::numbers::ln2); }}},
    {"log10", {[](double v) { return std::log10(v); }, [](double v) { return 1 / (v * std::numbers::ln10); }}},
    {"sqrt", {[](double v) { return std::sqrt(v); }, [](double v) { return 0.5 / std::sqrt(v); }}},
    {"abs", {[](double v) { return std::abs(v); }, [](double v) { return v < 0 ? -1.0 : 1.0; }}},
    {"sign", {[](double v) { return v < 0   ? -1.0
                                    : v > 0 ? 1.0
                                            : 0.0; }, [](double) { return 0.0; }}},
    {"rint", {[](double v) { return std::round(v); }, [](double) { return 0.0; }}}};

}  // namespace

Formula::Number Formula::Reader::call(std::string_view name, const std::vector<Number>& arguments) {
  if (name == "min" || name == "max") {
    return *std::ranges::max_element(arguments, [&](const Number& a, const Number& b) {
      return name == "max" ? a.value < b.value : a.value > b.value;
    });
  }
  if (name == "sum" || name == "avg") {
    Number total;
    for (const Number& argument : arguments) total = {total.value + argument.value, total.slope + argument.slope};
    const double count = name == "avg" ? static_cast<double>(arguments.size()) : 1;
    return {total.value / count, total.slope / count};
  }
  const auto [a, da] = arguments.front();
  if (arguments.size() == 2 && name == "atan2") {
    // The angle of (b, a): (a' b - a b') / (a^2 + b^2)
    const auto [b, db] = arguments[1];
    return {std::atan2(a, b), da == 0 && db == 0 ? 0 : (da * b - a * db) / (a * a + b * b)};
  }
  const auto found = functions_of_one.find(name);
  if (arguments.size() != 1 || found == functions_of_one.end()) return {0, std::nan("")};
  // f'(a) a'; where f' is infinite, a constant argument still has the slope zero.
  return {found->second.value(a), da == 0 ? 0 : found->second.slope(a) * da};
}

Formula::Formula(const std::string& expression, const std::vector<std::string>& unknowns) {
  Reader reader{expression, unknowns};
  root_ = reader.choice();
  reader.skip();
  if (reader.at < expression.size()) reader.fail();
  unknowns_.assign(reader.used.begin(), reader.used.end());
}

Formula::Formula(ScalarFunction known) {
  Node node;
  node.kind = Node::Kind::known;
  node.known = std::move(known);
  root_ = std::make_shared<const Node>(std::move(node));
}

Formula operator*(const Formula& a, const Formula& b) {
  std::vector<Index> unknowns;
  std::ranges::set_union(a.unknowns_, b.unknowns_, std::back_inserter(unknowns));
  return {Formula::Reader::make(Formula::Node::Kind::multiply, {a.root_, b.root_}), std::move(unknowns)};
}

/// 0: of position alone, 1: affine in the unknowns, 2: otherwise.
int Formula::degree(const Node& node) {
  using Kind = Node::Kind;
  std::vector<int> parts;
  for (const Shared& part : node.parts) parts.push_back(degree(*part));
  const int largest = parts.empty() ? 0 : std::ranges::max(parts);
  switch (node.kind) {
    case Kind::unknown:
      return 1;
    case Kind::negate:
    case Kind::add:
    case Kind::subtract:
      return largest;
    case Kind::multiply:
      return std::min(2, parts[0] + parts[1]);
    case Kind::divide:
      return parts[1] == 0 ? parts[0] : 2;
    case Kind::choose:
      return parts[0] == 0 ? largest : 2;
    case Kind::call:
      return (node.name == "sum" || node.name == "avg" || largest == 0) ? largest : 2;
    default:
      return largest == 0 ? 0 : 2;
  }
}

bool Formula::is_affine() const { return degree(*root_) < 2; }

Formula::Number Formula::evaluate(const Node& node, const Point& x, std::span<const double> scalars,
                                  Index unknown) const {
  using Kind = Node::Kind;
  const auto part = [&](std::size_t k) { return evaluate(*node.parts[k], x, scalars, unknown); };
  switch (node.kind) {
    case Kind::constant:
      return {node.value, 0};
    case Kind::coordinate:
      return {x[node.index], 0};
    case Kind::unknown:
      return {scalars[static_cast<std::size_t>(node.index)], node.index == unknown ? 1.0 : 0.0};
    case Kind::known:
      return {node.known(x), 0};
    case Kind::choose:
      return part(0).value != 0 ? part(1) : part(2);
    case Kind::call: {
      std::vector<Number> arguments;
      for (std::size_t k = 0; k < node.parts.size(); ++k) arguments.push_back(part(k));
      return Reader::call(node.name, arguments);
    }
    case Kind::negate: {
      const Number of = part(0);  // once, or nested signs take twice as long each
      return {-of.value, -of.slope};
    }
    default:
      break;
  }
  return combine(node, part(0), part(1));
}

namespace {

bool holds(std::string_view comparison, double a, double b) {
  if (comparison == "||") return a != 0 || b != 0;
  if (comparison == "&&") return a != 0 && b != 0;
  if (comparison == "<=") return a <= b;
  if (comparison == ">=") return a >= b;
  if (comparison == "==") return a == b;
  if (comparison == "!=") return a != b;
  return comparison == "<" ? a < b : a > b;
}

}  // namespace

Formula::Number Formula::combine(const Node& node, const Number& a, const Number& b) {
  using Kind = Node::Kind;
  switch (node.kind) {
    case Kind::add:
      return {a.value + b.value, a.slope + b.slope};
    case Kind::subtract:
      return {a.value - b.value, a.slope - b.slope};
    case Kind::multiply:
      return {a.value * b.value, a.slope * b.value + a.value * b.slope};
    case Kind::divide:
      return {a.value / b.value, (a.slope - a.value / b.value * b.slope) / b.value};
    case Kind::power: {
      // d a^b = b a^(b-1) a' + a^b log(a) b'
      const double value = std::pow(a.value, b.value);
      return {value, (a.slope == 0 ? 0 : b.value * std::pow(a.value, b.value - 1) * a.slope) +
                         (b.slope == 0 || value == 0 ? 0 : value * std::log(a.value) * b.slope)};
    }
    default:
      break;
  }
  return {holds(node.name, a.value, b.value) ? 1.0 : 0.0, 0};
}

double Formula::value(const Point& x, std::span<const double> scalars) const {
  return evaluate(*root_, x, scalars, -1).value;
}

double Formula::derivative(const Point& x, std::span<const double> scalars, Index unknown) const {
  return evaluate(*root_, x, scalars, unknown).slope;
}

}  // namespace varimesh::run
