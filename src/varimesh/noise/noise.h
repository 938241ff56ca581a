#pragma once

#include "varimesh/random.h"

namespace varimesh::noise {

/// A weight that second derivatives of -log p(y | G) may stand for: those at G themselves, as far as they are positive,
/// which say how well G is known, or those of a parabola that touches -log p at G and lies above it everywhere, whose
/// minimum is a safe step. Of normal noise both are the same.
enum class Bend { observed, majorizing };

/// How the measurements y of all sensors scatter around what a model predicts for them, G (one number for each sensor),
/// where they are not independent and normal. The measurements are part of it. Const members may be called by several
/// threads.
class Noise {
 public:
  virtual ~Noise() = default;

  virtual Index size() const = 0;
  /// Whether log p(y | G) is quadratic in G.
  virtual bool is_normal() const = 0;
  /// log p(y | G) = constant + value(G). The value is NaN if a prediction is not finite.
  virtual double constant() const = 0;
  virtual double value(const Vector& prediction) const = 0;
  /// d log p(y | G) / dG.
  virtual Vector slope(const Vector& prediction) const = 0;
  /// X <- A X and X <- A'X, with A'A the curvature of -log p(y | G) in G. Of normal noise, A (y - G) is standard
  /// normal.
  virtual void multiply_root(const Vector& prediction, Bend bend, Eigen::Ref<Matrix> x) const = 0;
  virtual void multiply_root_transposed(const Vector& prediction, Bend bend, Eigen::Ref<Matrix> x) const = 0;

  // Each sensor beside all others: p(y_i | G, y of the others) depends on one number, in place of G_i.

  /// That number for each sensor (sensors x draws): G itself if sensors are independent.
  virtual Matrix given_others(const Matrix& predictions) const = 0;
  /// log p(y_i | that number).
  virtual double log_density(Index sensor, double prediction) const = 0;
  /// How well the sensor's measurements would determine it: one over the root of their Fisher information.
  virtual Vector standard_error() const = 0;
  /// The errors of a sensor's measurements for that number, as standard normal variables are distributed.
  virtual Vector normal_scores(Index sensor, double prediction) const = 0;

  /// Errors of the sensors' mean measurements, were they measured again (sensors x columns).
  virtual Matrix sample(Index columns, Random& random) const = 0;
};

}  // namespace varimesh::noise
