#include "results_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "duration.h"
#include "output.h"
#include "varimesh/number_words.h"

namespace varimesh::cli {
namespace {

using Row = std::vector<std::string>;

std::string estimate(const std::optional<result::Estimate>& value) {
  if (!value || !std::isfinite(value->value)) return "-";
  if (!(value->error > 0)) return in_digits(value->value, 4);
  return with_error(value->value, value->error, 1);
}

std::string elbo(const std::optional<result::Estimate>& value) {
  if (!value || !std::isfinite(value->value)) return "-";
  return fmt::format("{:.2f} +- {:.2f}", value->value, value->error);
}

std::string diagnostics(const result::MethodRecord& method) {
  const auto known = [](double value, int digits) {
    return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
  };
  if (method.khat) return "k-hat " + known(method.khat->value, 2);
  if (method.chains)
    return fmt::format("R-hat {}, ESS {}", known(method.chains->rhat, 3), known(method.chains->ess_bulk, 0));
  return "-";
}

/// 1234567 as "1,234,567".
std::string grouped(long long number) {
  const std::string digits = fmt::format("{}", number);
  std::string text;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && (digits.size() - k) % 3 == 0) text += ',';
    text += digits[k];
  }
  return text;
}

/// Characters, not bytes, of UTF-8.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

std::string quantity_cell(const result::MethodRecord& method, std::size_t q) {
  if (!method.has_answer() || q >= method.quantities.size()) return "-";
  const result::QuantitySummary& quantity = method.quantities[q];
  if (quantity.density.size() == 0) return fmt::format("{} (fixed)", in_digits(quantity.mean, 5));
  const auto [mean, sd] = in_digits_of_error(quantity.mean, quantity.sd, 2);
  return fmt::format("{}, sd {}", mean, sd);
}

/// What auto took for its answer and why; a doubtful choice is among the doubts.
void print_choice(const result::MethodRecord& method) {
  for (const result::TrustItem& item : method.trust) {
    if (item.kind == result::TrustItem::Kind::choice && item.level == result::TrustItem::Level::good)
      print("{}: {} {}\n", method.name, item.headline, item.explanation);
  }
}

}  // namespace

void print_table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width(row[k]));
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k)
      line += row[k] + std::string(k + 1 < row.size() ? widths[k] - width(row[k]) + 2 : 0, ' ');
    print("{}\n", line);
  }
}

void print_doubts(const std::vector<result::MethodRecord>& methods) {
  for (const result::MethodRecord& method : methods) {
    for (const result::TrustItem& item : method.trust) {
      if (item.level == result::TrustItem::Level::good) continue;
      print_error("{} {}: {} {} {}\n", item.level == result::TrustItem::Level::bad ? "!!" : "! ", method.name,
                  item.headline, item.explanation, item.action);
    }
  }
}

void print_results(const result::ProblemRecord& problem, const std::vector<result::MethodRecord>& methods,
                   const std::vector<result::ComparisonRecord>& comparisons) {
  constexpr std::size_t most_quantities = 3;
  const std::size_t quantities = std::min(problem.quantities.size(), most_quantities);
  Row header = {"method", "status", "ELBO", "diagnosis", "time", "solves"};
  if (problem.truth) header.insert(header.end(), {"kappa error", "u error"});
  for (std::size_t q = 0; q < quantities; ++q) header.push_back(problem.quantities[q].name);
  std::vector<Row> rows = {header};
  for (const result::MethodRecord& method : methods) {
    std::string status(name(method.status));
    std::replace(status.begin(), status.end(), '_', ' ');
    Row row = {method.name,
               status,
               elbo(method.elbo),
               diagnostics(method),
               duration(method.seconds),
               grouped(method.solves())};
    if (problem.truth) row.insert(row.end(), {estimate(method.kappa_error), estimate(method.u_error)});
    for (std::size_t q = 0; q < quantities; ++q) row.push_back(quantity_cell(method, q));
    rows.push_back(std::move(row));
  }
  print_table(rows);
  for (const result::MethodRecord& method : methods) {
    print("{}: {}\n", method.name, result::verdict(method.trust, result::names_of(problem.quantities)));
    print_choice(method);
  }
  std::fflush(stdout);
  print_doubts(methods);
  for (const result::ComparisonRecord& comparison : comparisons) print("{}\n", comparison.sentence);
}

}  // namespace varimesh::cli
