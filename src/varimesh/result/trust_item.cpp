#include "varimesh/result/trust_item.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace varimesh::result {
namespace {

using Level = TrustItem::Level;

Level worst_of(const std::vector<TrustItem>& trust, std::string_view quantity) {
  auto level = Level::good;
  for (const TrustItem& item : trust) {
    if (item.quantity == quantity) level = std::max(level, item.level);
  }
  return level;
}

/// The first of the worst, as the end of a sentence: "the chains do not agree yet".
std::string reason(const std::vector<TrustItem>& trust, Level level) {
  const auto found =
      std::ranges::find_if(trust, [&](const TrustItem& item) { return item.level == level && item.quantity.empty(); });
  return found == trust.end() ? "" : as_clause(found->headline);
}

/// Under what the answer holds, by the headline of a finding about the prior: ", if the field is as smooth as assumed".
std::string condition(const std::vector<TrustItem>& trust) {
  for (const TrustItem& item : trust) {
    const std::size_t start = item.headline.find(" if the field ");
    if (item.kind == TrustItem::Kind::prior && item.level == Level::good && start != std::string::npos)
      return fmt::format(",{}", std::string_view(item.headline).substr(start, item.headline.size() - start - 1));
  }
  return "";
}

/// "'a'", "'a' and 'b'", "'a', 'b' and 'c'".
std::string enumerated(const std::vector<std::string>& names) {
  std::string words;
  for (std::size_t k = 0; k < names.size(); ++k)
    words += fmt::format("{}'{}'", k == 0 ? "" : k + 1 == names.size() ? " and " : ", ", names[k]);
  return words;
}

}  // namespace

Level worst_level(const std::vector<TrustItem>& trust) {
  auto level = Level::good;
  for (const TrustItem& item : trust) level = std::max(level, item.level);
  return level;
}

std::string as_clause(std::string sentence) {
  if (sentence.size() > 1 && sentence[0] >= 'A' && sentence[0] <= 'Z' && sentence[1] >= 'a' && sentence[1] <= 'z')
    sentence[0] = static_cast<char>(sentence[0] - 'A' + 'a');
  else if (sentence.starts_with("A "))
    sentence[0] = 'a';
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

std::string verdict(const std::vector<TrustItem>& trust, const std::vector<std::string>& quantities) {
  if (trust.empty()) return "Nothing was checked.";
  const Level whole = worst_of(trust, "");
  if (whole == Level::bad) return fmt::format("Do not rely on this answer: {}.", reason(trust, whole));
  std::vector<std::string> doubtful, unusable;
  for (const std::string& quantity : quantities) {
    const Level level = worst_of(trust, quantity);
    if (level == Level::bad) unusable.push_back(quantity);
    if (level == Level::warn) doubtful.push_back(quantity);
  }
  std::string words =
      whole == Level::warn
          ? fmt::format("The answer can be used with care: {}.", reason(trust, whole))
          : std::string("The answer can be used, for the field") +
                (quantities.empty() || doubtful.size() + unusable.size() > 0 ? "" : " and for every quantity") +
                condition(trust) + ".";
  if (!doubtful.empty()) words += fmt::format(" Take care with {}.", enumerated(doubtful));
  if (!unusable.empty()) words += fmt::format(" Do not rely on {}.", enumerated(unusable));
  return words;
}

}  // namespace varimesh::result
