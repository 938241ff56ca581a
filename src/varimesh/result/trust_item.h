#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace varimesh::result {

/// One finding about a result: what was looked at, how it came out, the numbers behind it, and plain words.
struct TrustItem {
  enum class Level { good, warn, bad };  ///< fine; usable with care; not to be relied on
  /// What was looked at.
  enum class Kind {
    end,            ///< how the method ended
    choice,         ///< what auto took for its answer
    approximation,  ///< how close a fit is to the posterior
    convergence,    ///< whether chains agree and are long enough
    solvability,    ///< whether the equation can be solved at every draw
    data_fit,       ///< whether the data are explained
    sensors,        ///< single sensors that do not fit
    mesh,           ///< whether the mesh is fine enough
    prior,          ///< what the answer owes to the prior
    truth,          ///< whether a known truth lies where it should
    dependence,     ///< quantities that the field does not change
  };
  Level level = Level::good;
  std::string headline;     ///< "The fit has converged."
  std::string explanation;  ///< what that means
  std::string action;       ///< what to do about it; empty if nothing is off
  Kind kind = Kind::end;
  std::string quantity = {};  ///< the one that it concerns; empty if that is all of the answer
  std::vector<std::pair<std::string, double>> numbers = {};  ///< behind the words, by name
};
constexpr std::string_view level_names[] = {"good", "warn", "bad"};
constexpr std::string_view kind_names[] = {"end",         "choice",   "approximation", "convergence",
                                           "solvability", "data_fit", "sensors",       "mesh",
                                           "prior",       "truth",    "dependence"};

/// "The chains do not agree yet." as the end of a sentence: "the chains do not agree yet".
std::string as_clause(std::string sentence);

/// The worst of all findings; good if there is none.
TrustItem::Level worst_level(const std::vector<TrustItem>& trust);

/// One sentence that says whether, and for what, an answer can be used.
std::string verdict(const std::vector<TrustItem>& trust, const std::vector<std::string>& quantities);

}  // namespace varimesh::result
