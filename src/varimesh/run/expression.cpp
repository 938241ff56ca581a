#include "varimesh/run/expression.h"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <memory>
#include <mutex>
#include <numbers>
#include <string_view>
#include <vector>

#include "varimesh/error.h"
#include "varimesh/quote.h"
#include "varimesh/suggest.h"

namespace varimesh::run {
namespace {

constexpr std::size_t max_length = 10'000;
constexpr int max_depth = 100;  // of parentheses, and of choices "a ? b : c"

[[noreturn]] void fail(std::string_view expression, std::string_view origin, std::string_view reason) {
  throw InputError(fmt::format("{}: bad expression {}: {}", origin, quote(expression), reason));
}

// Refuses what muParser accepts beyond arithmetic: assignments, strings, lists of results; and unbounded nesting.
void check_text(std::string_view text, std::string_view origin) {
  constexpr std::string_view symbols = "+-*/^(),?:<>=!&|_. \t\r\n";
  if (text.size() > max_length) {
    fail(text, origin, fmt::format("expected at most {} characters, found {}", max_length, text.size()));
  }
  int depth = 0, choices = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char previous = i > 0 ? text[i - 1] : ' ', next = i + 1 < text.size() ? text[i + 1] : ' ';
    const auto refuse = [&](std::string_view what) {
      fail(text, origin, fmt::format("{} at character {}", what, i + 1));
    };
    if (!std::isalnum(static_cast<unsigned char>(c)) && symbols.find(c) == std::string_view::npos) {
      refuse(c > 0x20 && c < 0x7f ? fmt::format("unexpected '{}'", c) : "unexpected character");
    }
    const bool compares = next == '=' || std::string_view("<>=!").find(previous) != std::string_view::npos;
    if (c == '=' && !compares) refuse("assignment is not allowed; compare with '=='");
    if (c == '(' && ++depth > max_depth) refuse(fmt::format("more than {} nested parentheses", max_depth));
    if (c == ')') depth = std::max(0, depth - 1);
    if (c == '?' && ++choices > max_depth) refuse(fmt::format("more than {} choices", max_depth));
    if (c == ',' && depth == 0) refuse("unexpected ','");
  }
}

std::string unknown_token(const mu::Parser& parser, const std::string& token) {
  if (!token.empty() && std::isdigit(static_cast<unsigned char>(token.front()))) {
    return fmt::format("bad number '{}'", token);
  }
  if (parser.GetFunDef().contains(token)) return fmt::format("expected arguments in parentheses after '{}'", token);
  const bool is_name = !token.empty() && (std::isalpha(static_cast<unsigned char>(token.front())) || token[0] == '_');
  return fmt::format("{} '{}'", is_name ? "unknown name" : "unexpected", token);
}

std::string describe(const mu::Parser& parser, const mu::ParserError& error) {
  std::string token = error.GetToken();
  token.erase(token.find_last_not_of(" \t\r\n") + 1);
  switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN:
      return unknown_token(parser, token);
    case mu::ecUNEXPECTED_EOF:
      return "unexpected end";
    case mu::ecMISSING_PARENS:
      return "missing parenthesis";
    case mu::ecEMPTY_EXPRESSION:
      return "expected an expression, found nothing";
    case mu::ecUNEXPECTED_ARG_SEP:
    case mu::ecUNEXPECTED_ARG:
      return "unexpected ','";
    case mu::ecUNEXPECTED_CONDITIONAL:
    case mu::ecMISPLACED_COLON:
      return "unexpected '?' or ':'";
    case mu::ecMISSING_ELSE_CLAUSE:
      return "expected ':' after '?'";
    case mu::ecUNEXPECTED_OPERATOR:
    case mu::ecUNEXPECTED_VAL:
    case mu::ecUNEXPECTED_VAR:
    case mu::ecUNEXPECTED_PARENS:
    case mu::ecUNEXPECTED_FUN:
      return fmt::format("unexpected '{}'", token);
    case mu::ecTOO_MANY_PARAMS:
      return fmt::format("too many arguments for '{}'", token);
    case mu::ecTOO_FEW_PARAMS:
      return fmt::format("too few arguments for '{}'", token);
    default:
      return error.GetMsg();
  }
}

std::vector<std::string> names_in(const mu::Parser& parser) {
  std::vector<std::string> names = {"x", "y", "z", "pi", "e"};
  for (const auto& function : parser.GetFunDef()) names.push_back(function.first);
  return names;
}

class Expression {
 public:
  Expression(std::string text, std::string origin, int dimension, const std::vector<std::string>& unknowns)
      : text_(std::move(text)), origin_(std::move(origin)), unknowns_(unknowns) {
    check_text(text_, origin_);
    parser_.DefineVar("x", &point_.x());
    if (dimension > 1) parser_.DefineVar("y", &point_.y());
    if (dimension > 2) parser_.DefineVar("z", &point_.z());
    for (const std::string& name : unknowns_) parser_.DefineVar(name, &zero_);
    parser_.DefineConst("pi", std::numbers::pi);
    parser_.DefineConst("e", std::numbers::e);
    parser_.SetExpr(text_);
    evaluate();  // muParser compiles at the first evaluation; the value may be infinite here
  }
  ~Expression() = default;
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;

  double operator()(const Point& point) {
    const std::scoped_lock lock(mutex_);
    point_ = point;
    const double value = evaluate();
    if (!std::isfinite(value)) {
      throw InputError(fmt::format("{}: expected a finite value of {} at ({}, {}, {}), found {}", origin_, quote(text_),
                                   point.x(), point.y(), point.z(), value));
    }
    return value;
  }

 private:
  double evaluate() const {
    try {
      return parser_.Eval();
    } catch (const mu::ParserError& error) {
      reject(error);
    }
  }

  [[noreturn]] void reject(const mu::ParserError& error) const {
    std::string reason = describe(parser_, error);
    const int position = error.GetPos();
    if (position >= 0) reason += fmt::format(" at character {}", std::min<std::size_t>(position, text_.size()) + 1);
    if (reason.starts_with("unknown name")) {
      std::vector<std::string> names = unknowns_;
      std::ranges::copy(names_in(parser_), std::back_inserter(names));
      const std::string nearest = suggestion(error.GetToken(), names);
      reason += nearest.empty() ? fmt::format("; the names are {}", fmt::join(names, ", ")) : nearest;
    }
    fail(text_, origin_, reason);
  }

  std::string text_, origin_;
  std::vector<std::string> unknowns_;
  double zero_ = 0;
  std::mutex mutex_;  // the parser reads its variables, and keeps its stack, in shared memory
  Point point_ = Point::Zero();
  mu::Parser parser_;
};

}  // namespace

ScalarFunction parse_expression(const std::string& expression, const std::string& origin, int dimension,
                                const std::vector<std::string>& unknowns) {
  auto shared = std::make_shared<Expression>(expression, origin, dimension, unknowns);
  return [shared](const Point& point) { return (*shared)(point); };
}

std::vector<std::string> expression_names() { return names_in(mu::Parser()); }

}  // namespace varimesh::run
