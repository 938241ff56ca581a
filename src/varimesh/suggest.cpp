#include "varimesh/suggest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace varimesh {
namespace {

constexpr std::size_t longest_word = 64;

/// Upper and lower case are the same letter: a wrong case is as good as right.
bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, substitutions and swaps of
// neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) current[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(previous);
    previous.swap(current);
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = same_letter(a[i - 1], b[j - 1]) ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + substitution});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
  }
  return current[b.size()];
}

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& valid) {
  if (word.size() > longest_word) return "";
  if (std::find(valid.begin(), valid.end(), word) != valid.end()) return "";  // it is refused for something else
  const std::size_t limit = word.size() < 4 ? 1 : std::max<std::size_t>(2, word.size() / 3);
  const std::string* nearest = nullptr;
  std::size_t nearest_distance = limit + 1;
  for (const std::string& candidate : valid) {
    if (candidate.size() > longest_word) continue;
    const std::size_t distance = edit_distance(word, candidate);
    const bool shares_letters = distance < std::max(word.size(), candidate.size());
    if (distance < nearest_distance && shares_letters) {
      nearest = &candidate;
      nearest_distance = distance;
    }
  }
  return nearest ? "; did you mean '" + *nearest + "'?" : "";
}

}  // namespace varimesh
