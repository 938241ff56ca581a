// What single wrong readings do to error bars with normal and with Student-t noise: coverage of the field's 90 % band
// and its error, over data sets of the 1D and 2D templates with and without outliers.
//
//   benchmark_outliers [method] [data sets]
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "varimesh/run/infer.h"
#include "varimesh/run/simulate.h"
#include "varimesh/stopwatch.h"

namespace {

using namespace varimesh;

constexpr double share = 0.1, moved_by = 10;  // of the readings; sigma

run::Config config_of(const char* example, const std::string& noise) {
  const auto file = std::filesystem::path(VARIMESH_SOURCE_DIR) / "examples" / example / "problem.toml";
  run::Config config = run::read_config(file, {{"observations.noise.kind", noise}});
  config.truth.reset();
  return config;
}

/// A tenth of the readings is moved by ten sigma, up or down.
void spoil(Matrix& measurements, const Vector& sigma, Random& random) {
  for (Eigen::Index s = 0; s < measurements.cols(); ++s) {
    for (Eigen::Index r = 0; r < measurements.rows(); ++r) {
      const bool wrong = random.uniform() < share, up = random.uniform() < 0.5;
      if (wrong) measurements(r, s) += (up ? moved_by : -moved_by) * sigma[s];
    }
  }
}

run::Measurements reduce(const Matrix& measurements) {
  run::Measurements result{measurements.colwise().mean(),
                           Vector::Constant(measurements.cols(), static_cast<double>(measurements.rows())),
                           {},
                           {}};
  for (const Vector own : measurements.colwise()) result.each.push_back(own);
  return result;
}

struct Score {
  double covered = 0, worst = 1, error = 0, sd = 0, seconds = 0;
};

void compare(const char* example, run::Method method, int sets) {
  for (const bool outliers : {false, true}) {
    for (const char* noise : {"normal", "student"}) {
      const run::Config config = config_of(example, noise);
      run::Problem problem = build_problem(config, run::Data::ignored);
      Score score;
      const Stopwatch watch;
      for (int seed = 1; seed <= sets; ++seed) {
        const run::Config normal = config_of(example, "normal");
        run::Simulation made =
            simulate(normal, build_problem(normal, run::Data::ignored), {static_cast<std::uint64_t>(seed), {}, 0});
        Random random(static_cast<std::uint64_t>(seed), 5);
        if (outliers) spoil(made.measurements, problem.noise->sigma, random);
        problem.observations = observe(*problem.noise, reduce(made.measurements));
        const inverse::Posterior posterior = build_posterior(config, problem);
        const result::MethodRecord answer = infer(config, problem, posterior, method, {1, {}, false, false, false});
        const Vector difference = answer.kappa.mean - made.truth;
        const double covered =
            (difference.cwiseAbs().array() <= 1.6448536 * answer.kappa.sd.array()).cast<double>().mean();
        score.covered += covered / sets;
        score.worst = std::min(score.worst, covered);
        score.error += std::sqrt(difference.squaredNorm() / static_cast<double>(difference.size())) / sets;
        score.sd += std::sqrt(answer.kappa.sd.squaredNorm() / static_cast<double>(difference.size())) / sets;
      }
      fmt::print("{:16} {:12} {:8} noise: covered {:.0f} %, worst set {:.0f} %, error {:.3f}, sd {:.3f}, {:.1f} s\n",
                 example, outliers ? "outliers" : "no outliers", noise, 100 * score.covered, 100 * score.worst,
                 score.error, score.sd, watch.seconds());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string method = argc > 1 ? argv[1] : "fcvb";
  const int sets = argc > 2 ? std::atoi(argv[2]) : 20;
  for (const char* example : {"poisson-1d", "plate-with-hole"}) compare(example, run::parse_method(method), sets);
}
