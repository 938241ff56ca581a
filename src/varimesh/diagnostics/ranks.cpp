#include "varimesh/diagnostics/ranks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "varimesh/special_functions.h"

namespace varimesh::diagnostics {
namespace {

constexpr int digit_bits = 11;
constexpr std::size_t num_digits = std::size_t{1} << digit_bits;

/// An integer that ascends with a finite number: its bits, all turned over if it is negative, else the sign alone.
std::uint64_t key_of(double value) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// Scores of the ranks 1, 3/2, 2 .. count.
std::vector<double> score_table(Index count) {
  if (count == 0) return {};
  const Eigen::Index size = 2 * Eigen::Index{count} - 1;
  std::vector<double> table(size);
  for (Eigen::Index k = 0; 2 * k < size; ++k) {
    const double rank = 1 + 0.5 * static_cast<double>(k);
    table[k] = normal_quantile((rank - 0.375) / (count + 0.25));
    table[size - 1 - k] = -table[k];
  }
  return table;
}

}  // namespace

double quantile(const std::vector<double>& ascending, double p) {
  const double position = static_cast<double>(ascending.size() - 1) * p;
  // A position that is an integer but for rounding is that integer.
  const double fuzz = 4 * std::numeric_limits<double>::epsilon() * position;
  const double below = std::floor(position + fuzz);
  const double fraction = position - below;
  const auto index = static_cast<std::size_t>(below);
  if (fraction <= fuzz || index + 1 >= ascending.size()) return ascending[index];
  return (1 - fraction) * ascending[index] + fraction * ascending[index + 1];
}

void Ranks::sort(const Matrix& draws) {
  rows_ = static_cast<Index>(draws.rows());
  columns_ = static_cast<Index>(draws.cols());
  const auto count = static_cast<std::size_t>(draws.size());
  items_.resize(count);
  for (std::size_t i = 0; i < count; ++i) items_[i] = {key_of(draws.data()[i]), static_cast<Index>(i)};
  // By the lowest digit first; each pass keeps the order of the one before.
  sorted_.resize(count);
  for (int shift = 0; shift < 64; shift += digit_bits) {
    const auto digit = [&](const Item& item) { return (item.key >> shift) & (num_digits - 1); };
    std::array<std::size_t, num_digits + 1> begin{};
    for (const Item& item : items_) ++begin[digit(item) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const Item& item : items_) sorted_[begin[digit(item)]++] = item;
    std::swap(items_, sorted_);
  }
  values_.resize(count);
  places_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    places_[i] = items_[i].place;
    values_[i] = draws.data()[places_[i]];
  }
  if (const Index kept = SplitChains(draws).num_draws(); kept != num_scored_) {
    table_ = score_table(kept);
    num_scored_ = kept;
  }
}

double Ranks::median() const {
  const std::size_t middle = values_.size() / 2;
  return values_.size() % 2 == 1 ? values_[middle] : (values_[middle - 1] + values_[middle]) / 2;
}

void Ranks::scores(Matrix& z) const { scores_of(values_, places_, z); }

void Ranks::folded_scores(Matrix& z) {
  // From the median outwards both sides ascend: one merge sorts them.
  const double centre = median();
  folded_values_.resize(values_.size());
  folded_places_.resize(places_.size());
  auto right = static_cast<std::size_t>(std::lower_bound(values_.begin(), values_.end(), centre) - values_.begin());
  std::size_t left = right;  // the next on the left is left - 1
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const bool take_left =
        right == values_.size() || (left > 0 && centre - values_[left - 1] < values_[right] - centre);
    const std::size_t taken = take_left ? --left : right++;
    folded_values_[i] = std::abs(values_[taken] - centre);
    folded_places_[i] = places_[taken];
  }
  scores_of(folded_values_, folded_places_, z);
}

void Ranks::scores_of(const std::vector<double>& ascending, const std::vector<Index>& places, Matrix& z) const {
  z.setZero(rows_, columns_);
  const Index left_out = rows_ % 2 == 1 ? rows_ / 2 : -1;
  const auto is_kept = [&](std::size_t i) { return places[i] % rows_ != left_out; };
  std::size_t rank = 0;  // draws counted so far
  for (std::size_t begin = 0, end = 0; begin < ascending.size(); begin = end) {
    std::size_t equal = 0;
    for (; end < ascending.size() && ascending[end] == ascending[begin]; ++end) equal += is_kept(end) ? 1 : 0;
    if (equal == 0) continue;
    // Ranks rank + 1 .. rank + equal have the mean 1 + (2 rank + equal - 1) / 2
    const double score = table_[2 * rank + equal - 1];
    for (std::size_t i = begin; i < end; ++i) {
      if (is_kept(i)) z.data()[places[i]] = score;
    }
    rank += equal;
  }
}

}  // namespace varimesh::diagnostics
