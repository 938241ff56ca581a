#include "varimesh/run/leave_one_out.h"

#include <algorithm>
#include <cmath>

#include "varimesh/constants.h"
#include "varimesh/diagnostics/leave_one_out.h"
#include "varimesh/run/linearized_sensors.h"
#include "varimesh/run/move_draws.h"

namespace varimesh::run {
namespace {

using result::LeaveOneOut;
using result::SensorInfluence;

/// What the sensors of one problem say, to one method.
class Removal {
 public:
  Removal(const InverseProblem& problem, const inverse::Posterior& posterior, const result::MethodRecord& record,
          int threads, const std::function<bool()>& go_on)
      : problem_(problem),
        data_(*problem.observations()),
        posterior_(posterior),
        record_(record),
        standard_error_(data_.noise ? data_.noise->standard_error() : data_.standard_error()),
        threads_(threads),
        go_on_(go_on) {}

  LeaveOneOut run() {
    LeaveOneOut found;
    if (!record_.predicted.mean.allFinite()) return found;
    if (data_.noise) given_others_ = data_.noise->given_others(record_.predicted_draws);
    if (has_weights()) {
      found = diagnostics::leave_each_out(data_.mean, predictions(), standard_error_, record_.log_weights, threads_,
                                          data_.noise.get());
      if ((found.khat.array() > result::largest_usable_khat).any()) replace_unreliable(found);
    } else if (data_.has_normal_noise()) {
      linearized_ = linearize_sensors(posterior_, record_.kappa.mean, threads_);
      found = linearized_ ? by_linearization() : by_leverage();
    }
    name_worst(found);
    return found;
  }

 private:
  /// Whether the draws, with their weights if they have any, are those of the posterior.
  bool has_weights() const {
    if (record_.chains) return true;
    if (!record_.khat || !(record_.khat->value <= result::largest_usable_khat)) return false;
    const bool resampled = record_.components.empty() && record_.log_weights.size() == 0;
    return resampled || record_.log_weights.size() == record_.num_draws();
  }

  const Matrix& predictions() const { return data_.noise ? given_others_ : record_.predicted_draws; }

  LeaveOneOut by_linearization() const {
    return diagnostics::leave_each_out_linearly(data_.mean, linearized_->predicted, standard_error_,
                                                linearized_->leverage);
  }

  /// h = sd^2 / standard error^2, which draws of a wide approximation may put above one.
  LeaveOneOut by_leverage() const {
    constexpr double most = 0.99;
    const Prediction at_mean = problem_.predict(record_.kappa.mean);
    const Vector& predicted = at_mean.ok ? at_mean.readings : record_.predicted.mean;
    if (!data_.noise) {
      const Vector h = record_.predicted.sd.cwiseAbs2().cwiseProduct(data_.weight).cwiseMin(most);
      return diagnostics::leave_each_out_linearly(data_.mean, predicted, standard_error_, h);
    }
    const Vector mean = given_others_.rowwise().mean();
    const Vector variance =
        (given_others_.colwise() - mean).rowwise().squaredNorm() / static_cast<double>(given_others_.cols());
    const Vector h = variance.cwiseQuotient(standard_error_.cwiseAbs2()).cwiseMin(most);
    return diagnostics::leave_each_out_linearly(data_.mean, data_.noise->given_others(predicted), standard_error_, h);
  }

  /// Where weights have too heavy a tail, moves the draws, the worst first; what does not help, or would cost more than
  /// a fifth of the method itself, gets the linearised answer.
  void replace_unreliable(LeaveOneOut& found) {
    // A second's worth, about, whatever the method took.
    const auto few = static_cast<long long>(4e10 / std::pow(1000.0 + problem_.record().mesh.num_nodes(), 2));
    linearized_ = linearize_sensors(posterior_, record_.kappa.mean, threads_);
    if (!linearized_) return;
    const LeaveOneOut linear = by_linearization();
    long long left = std::max(few, record_.counts.factorizations / 5);
    for (const Index i : unreliable(found)) {
      left -= record_.num_draws();
      if (left >= 0 && (!go_on_ || go_on_()) && match(i, found)) continue;
      found.mean[i] = linear.mean[i];
      found.sd[i] = linear.sd[i];
      found.residual[i] = linear.residual[i];
      found.elpd[i] = linear.elpd[i];
      found.khat[i] = nan;
    }
  }

  /// The sensors with the largest k-hat, if it is too large.
  static std::vector<Index> unreliable(const LeaveOneOut& found) {
    std::vector<Index> sensors;
    for (Index i = 0; i < found.size(); ++i) {
      if (found.khat[i] > result::largest_usable_khat) sensors.push_back(i);
    }
    std::ranges::stable_sort(sensors, [&](Index a, Index b) { return found.khat[a] > found.khat[b]; });
    return sensors;
  }

  /// Whether moving the draws makes their weights usable.
  bool match(Index i, LeaveOneOut& found) {
    if (!(linearized_->leverage[i] > 0)) return false;
    const MovedDraws moved = move_draws(problem_, posterior_, record_, *linearized_, i, threads_);
    if (!(moved.weights.khat <= result::largest_usable_khat)) return false;
    diagnostics::leave_out(i, data_.mean[i], moved.predictions, standard_error_[i], moved.weights, found);
    ++found.matched;
    matched_.push_back(by_moved(i, moved));
    return true;
  }

  void name_worst(LeaveOneOut& found) const {
    std::vector<Index> order = found.by_residual();
    order.resize(std::min<std::size_t>(order.size(), most_named_sensors));
    for (const Index i : order) {
      if (std::isnan(found.residual[i])) break;
      if (std::isnan(found.khat[i]))
        found.worst.push_back(linearized_ ? by_gain(i, data_.mean[i] - found.mean[i]) : SensorInfluence{i, nan, {}});
      else if (const auto place = std::ranges::find(matched_, i, &SensorInfluence::sensor); place != matched_.end())
        found.worst.push_back(*place);
      else
        found.worst.push_back(by_weights(i));
    }
  }

  /// Without measurement i, kappa moves by -gain_i (measured - mean without it).
  SensorInfluence by_gain(Index i, double difference) const {
    const Vector shift = -difference * linearized_->gain.col(i);
    SensorInfluence influence{i, shift.cwiseQuotient(record_.kappa.sd).cwiseAbs().maxCoeff(), quantity_shifts()};
    if (problem_.record().quantities.empty()) return influence;
    const Vector slopes = problem_.quantity_slopes(linearized_->kappa, shift);
    for (Eigen::Index q = 0; q < slopes.size(); ++q) set_shift(influence, static_cast<std::size_t>(q), slopes[q]);
    return influence;
  }

  /// The difference of means by the weights without measurement i and by those with it.
  SensorInfluence by_weights(Index i) const {
    const Vector own = predictions().row(i);
    const diagnostics::PsisResult weights =
        data_.has_normal_noise()
            ? diagnostics::weights_without(data_.mean[i], own, standard_error_[i], record_.log_weights)
            : diagnostics::weights_without(i, own, *data_.noise, record_.log_weights);
    const Vector without = weights.log_weights.array().exp();
    return by_difference(i, without, Vector::Zero(record_.draws.size()), record_.quantity_draws);
  }

  SensorInfluence by_moved(Index i, const MovedDraws& moved) const {
    const Vector without = moved.weights.log_weights.array().exp();
    return by_difference(i, without, moved.direction * without.dot(moved.distance), moved.quantities);
  }

  /// sum w' kappa + further - sum w kappa, and the same of the quantities, with their values under w'.
  SensorInfluence by_difference(Index i, const Vector& without, const Vector& further, const Matrix& quantities) const {
    const Vector with = draw_weights();
    const Index per_chain = record_.draws.num_draws();
    Vector shift = further;
    for (Index c = 0; c < record_.draws.num_chains(); ++c)
      shift +=
          record_.draws.chain(c).leftCols(per_chain) * (without - with).segment(Eigen::Index{c} * per_chain, per_chain);
    SensorInfluence influence{i, shift.cwiseQuotient(record_.kappa.sd).cwiseAbs().maxCoeff(), quantity_shifts()};
    for (Eigen::Index q = 0; q < quantities.rows(); ++q)
      set_shift(influence, static_cast<std::size_t>(q),
                weighted_mean(without, quantities.row(q)) - weighted_mean(with, record_.quantity_draws.row(q)));
    return influence;
  }

  static double weighted_mean(const Vector& weight, const Vector& values) {
    double mean = 0;
    for (Eigen::Index s = 0; s < values.size(); ++s) mean += weight[s] == 0 ? 0 : weight[s] * values[s];
    return mean;
  }

  /// Of the posterior itself; draws at which the model failed have none.
  Vector draw_weights() const {
    Vector weight =
        record_.log_weights.size() > 0 ? Vector(record_.log_weights.array().exp()) : Vector::Ones(record_.num_draws());
    for (Eigen::Index s = 0; s < weight.size(); ++s) {
      if (std::isnan(record_.predicted_draws(0, s))) weight[s] = 0;
    }
    return weight / weight.sum();
  }

  Vector quantity_shifts() const { return Vector::Constant(std::ssize(problem_.record().quantities), nan); }

  /// In sds; what the loads fix has none.
  void set_shift(SensorInfluence& influence, std::size_t q, double shift) const {
    const result::QuantitySummary& quantity = record_.quantities[q];
    if (quantity.density.size() > 0) influence.quantities[static_cast<Eigen::Index>(q)] = shift / quantity.sd;
  }

  const InverseProblem& problem_;
  const inverse::Observations& data_;
  const inverse::Posterior& posterior_;
  const result::MethodRecord& record_;
  Vector standard_error_;  ///< of each sensor, given what the others measured
  Matrix given_others_;    ///< predictions given that, sensors x draws, where the noise is not independent and normal
  int threads_;
  const std::function<bool()>& go_on_;
  std::optional<LinearizedSensors> linearized_;
  std::vector<SensorInfluence> matched_;  ///< of sensors without which the draws were moved
};

}  // namespace

LeaveOneOut leave_one_out(const InverseProblem& problem, const inverse::Posterior& posterior,
                          const result::MethodRecord& record, int threads, const std::function<bool()>& go_on) {
  if (!problem.observations()) return {};
  return Removal(problem, posterior, record, threads, go_on).run();
}

}  // namespace varimesh::run
