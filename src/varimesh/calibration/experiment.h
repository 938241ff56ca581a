#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "varimesh/calibration/score.h"
#include "varimesh/result/problem_record.h"
#include "varimesh/run/infer.h"

namespace varimesh::calibration {

struct ExperimentOptions {
  std::uint64_t seed = 1;  ///< of which each repeat has its own
  int refinements = 0;     ///< of the mesh that the data are computed on; 0 is the inverse crime
};

/// A number that follows from kappa, whose truth is known in every repeat.
struct TrackedQuantity {
  std::string name;   ///< the key in the problem file; "kappa_mean", "kappa_12"
  std::string label;  ///< "mean of kappa", "kappa in cell 12 at (0.4)"
};

/// Truth, data and the methods' answers: numbers from which everything else follows.
struct Repeat {
  Index number = 0;
  std::vector<MethodScore> methods;  ///< in the experiment's order
};

/// Inference of truths that are drawn from the problem's prior, from data that are simulated at its sensors with its
/// noise. A repeat depends on the seed and its number alone.
class Experiment {
 public:
  /// Throws InputError if the problem lacks sensors, noise or a prior.
  Experiment(run::Config config, const ExperimentOptions& options);

  /// The problem in words.
  const result::ProblemRecord& record() const { return record_; }
  const ExperimentOptions& options() const { return options_; }
  const std::vector<run::Method>& methods() const { return methods_; }
  /// As people call them: "NUTS".
  const std::vector<std::string>& method_names() const { return method_names_; }
  /// The quantities of the problem file, the mean of the field, and some unknowns.
  const std::vector<TrackedQuantity>& quantities() const { return quantities_; }
  Index num_unknowns() const { return problem_.num_unknowns(); }
  /// Of all that repeats depend on: the problem, its files, the options, the methods' settings, the version.
  const std::string& fingerprint() const { return fingerprint_; }

  /// One repeat, on one thread; none if the observer said stop. The observer is called now and then.
  std::optional<Repeat> run(Index number, const std::function<bool()>& observer) const;

 private:
  struct Data;  ///< a truth and what was measured
  Data simulate(Index number) const;
  MethodScore judge(const result::MethodRecord& answer, const Data& data) const;
  Vector field_values(const Vector& kappa) const;
  std::vector<Matrix> draws_of(const result::MethodRecord& answer) const;

  run::Config config_;
  ExperimentOptions options_;
  run::Problem problem_;
  run::Problem truth_problem_;  ///< the same on the mesh of the truth
  std::shared_ptr<const inverse::Prior> prior_;
  Vector count_;                ///< measurements of each sensor
  std::vector<Index> tracked_;  ///< unknowns
  FieldPrior field_prior_;
  std::vector<run::Method> methods_;
  std::vector<std::string> method_names_;
  std::vector<TrackedQuantity> quantities_;
  result::ProblemRecord record_;
  std::string fingerprint_;
};

}  // namespace varimesh::calibration
