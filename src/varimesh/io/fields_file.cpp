#include "varimesh/io/fields_file.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "varimesh/io/vtu.h"

namespace varimesh::io {
namespace {

/// Arrays for a file, added one by one; of a model without a state there is no u.
class Arrays {
 public:
  void add(std::string name, const Vector& values) {
    if (values.size() == 0) return;
    arrays_.push_back({std::move(name), std::vector<double>(values.begin(), values.end())});
  }
  void add(std::string name, const std::vector<Index>& values) {
    arrays_.push_back({std::move(name), std::vector<std::int64_t>(values.begin(), values.end())});
  }

  const std::vector<VtuArray>& all() const { return arrays_; }

 private:
  std::vector<VtuArray> arrays_;
};

/// A field of the unknowns, at the nodes or in the cells, where it may be known.
void add_field(const result::ProblemRecord& problem, std::string name, const Vector& of_unknown, const Vector& known,
               Arrays& points, Arrays& cells) {
  if (problem.on_nodes()) {
    points.add(std::move(name), problem.field_part(of_unknown));
  } else {
    cells.add(std::move(name), problem.on_cells(of_unknown, known));
  }
}

/// Fields besides the coefficient.
void add_further_fields(const result::ProblemRecord& problem, const result::FieldSummary& all, Arrays& points,
                        Arrays& cells) {
  const std::pair<const char*, const Vector*> parts[] = {
      {"_mean", &all.mean}, {"_sd", &all.sd}, {"_q05", &all.q05}, {"_q50", &all.q50}, {"_q95", &all.q95}};
  Eigen::Index first = problem.num_field_unknowns();
  for (const result::FieldRecord& field : problem.fields) {
    for (const auto& [suffix, values] : parts) {
      const Vector own = values->segment(first, field.size);
      if (field.support == result::Support::nodes) {
        points.add(field.name + suffix, own);
      } else {
        cells.add(field.name + suffix, own(field.unknown_of_cell));
      }
    }
    first += field.size;
  }
}

std::string summaries(const VtuGrid& grid, const result::ProblemRecord& problem, const result::MethodRecord& method) {
  Arrays cells, points;
  const auto add = [&](std::string name, const Vector& of_unknown, const Vector& known) {
    add_field(problem, std::move(name), of_unknown, known, points, cells);
  };
  const result::FieldSummary& kappa = method.kappa;
  // What is known is so without error.
  const Vector& known = problem.known_kappa;
  const Vector known_conductivity = known.array().exp(), zero = Vector::Zero(known.size());
  if (!problem.on_nodes()) cells.add("unknown", problem.unknown_of_cell);
  add("kappa_mean", kappa.mean, known);
  add("kappa_sd", kappa.sd, zero);
  add("kappa_q05", kappa.q05, known);
  add("kappa_q50", kappa.q50, known);
  add("kappa_q95", kappa.q95, known);
  // exp is monotone: it takes quantiles to quantiles, but the mean to something below the mean of exp(kappa).
  add("conductivity_at_mean", kappa.mean.array().exp(), known_conductivity);
  add("conductivity_q05", kappa.q05.array().exp(), known_conductivity);
  add("conductivity_q50", kappa.q50.array().exp(), known_conductivity);
  add("conductivity_q95", kappa.q95.array().exp(), known_conductivity);
  add_further_fields(problem, kappa, points, cells);
  points.add("u_at_mean", method.u_at_mean);
  points.add("u_mean", method.u.mean);
  points.add("u_sd", method.u.sd);
  if (problem.truth) {
    add("kappa_truth", problem.truth->kappa, known);
    add("kappa_error", kappa.mean - problem.truth->kappa, zero);
    add("conductivity_truth", problem.truth->kappa.array().exp(), known_conductivity);
    points.add("u_truth", problem.truth->u);
    if (method.u.mean.size() == problem.truth->u.size()) points.add("u_error", method.u.mean - problem.truth->u);
  }
  return grid.format(points.all(), cells.all());
}

std::string draw(const VtuGrid& grid, const result::ProblemRecord& problem, const result::MethodRecord& method,
                 std::size_t shown) {
  const Index number = method.shown_draws[shown], per_chain = method.draws.num_draws();
  const Vector kappa = method.draws.chain(number / per_chain).col(number % per_chain);
  Arrays cells, points;
  add_field(problem, "kappa", kappa, problem.known_kappa, points, cells);
  if (method.shown_u.rows() > 0) points.add("u", method.shown_u.col(static_cast<Eigen::Index>(shown)));
  return grid.format(points.all(), cells.all());
}

std::string sensors(const result::ProblemRecord& problem, const result::MethodRecord& method) {
  const result::SensorRecord& sensors = problem.sensors;
  Arrays points;
  points.add("predicted_mean", method.predicted.mean);
  points.add("predicted_sd", method.predicted.sd);
  if (problem.has_measurements()) {
    const Vector standard_error = sensors.sigma.array() / sensors.count.array().sqrt();
    points.add("measured", sensors.mean);
    points.add("standard_error", standard_error);
    points.add("standardised_residual", (sensors.mean - method.predicted.mean).array() / standard_error.array());
  }
  return VtuGrid(sensors.points).format(points.all(), {});
}

}  // namespace

std::vector<FileContent> format_fields(const result::ProblemRecord& problem, const result::MethodRecord& method) {
  if (!method.has_answer()) throw std::invalid_argument("format_fields: expected a method with an answer");
  const VtuGrid grid(problem.mesh);
  std::vector<FileContent> files = {{"fields.vtu", summaries(grid, problem, method)}};
  if (problem.num_sensors() > 0) files.push_back({"sensors.vtu", sensors(problem, method)});
  std::string collection =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "<Collection>\n";
  for (std::size_t i = 0; i < method.shown_draws.size(); ++i) {
    const std::string file = fmt::format("draws/draw-{:03}.vtu", i);
    collection += fmt::format("<DataSet timestep=\"{}\" file=\"{}\"/>\n", method.shown_draws[i], file);
    files.push_back({file, draw(grid, problem, method, i)});
  }
  files.push_back({"fields.pvd", collection + "</Collection>\n</VTKFile>\n"});
  return files;
}

}  // namespace varimesh::io
