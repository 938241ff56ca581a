#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "varimesh/child_process.h"
#include "varimesh/error.h"
#include "varimesh/io/data_group.h"
#include "varimesh/io/gaussian_group.h"
#include "varimesh/io/netcdf.h"
#include "varimesh/io/posterior_file.h"
#include "varimesh/io/posterior_layout.h"
#include "varimesh/io/seal.h"
#include "varimesh/random.h"
#include "varimesh/random_streams.h"

namespace varimesh::io {
namespace {

/// Names for quantities as variables of the group posterior: letters, digits and underscores, none of them taken.
std::vector<std::string> variable_names(const std::vector<result::QuantityName>& quantities,
                                        const std::vector<result::FieldRecord>& fields) {
  constexpr std::size_t longest = 100;
  std::set<std::string> taken = {"kappa", "u", "node", "prediction", "chain", "draw", "cell", "sensor"};
  for (const result::FieldRecord& field : fields) taken.insert({field.name, field_dimension(field)});
  for (int axis = 0; axis < 3; ++axis) {
    for (const char* dimension : {"cell", "node", "sensor"}) taken.insert(axis_of(dimension, axis));
  }
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  std::vector<std::string> names;
  for (const auto& quantity : quantities) {
    std::string name = quantity.name.substr(0, longest);
    std::ranges::replace_if(name, [&](char c) { return !is_digit(c) && !is_letter(c); }, '_');
    if (name.empty() || is_digit(name.front())) name.insert(0, "quantity_");
    const std::string stem = name;
    for (int k = 2; !taken.insert(name).second; ++k) name = fmt::format("{}_{}", stem, k);
    names.push_back(name);
  }
  return names;
}

/// Writes what `fill(chain, first draw, block)` puts into blocks of draws, one a column.
template <class Fill>
void write_draws(const NetcdfVariable& variable, const Fill& fill) {
  const Shape shape = variable.shape();
  const std::size_t draws = shape[1], rows = shape[2], width = variable.rows_per_block();
  Matrix block;
  for (std::size_t c = 0; c < shape[0]; ++c) {
    for (std::size_t begin = 0; begin < draws; begin += width) {
      const std::size_t count = std::min(width, draws - begin);
      block.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(count));
      fill(static_cast<Index>(c), static_cast<Eigen::Index>(begin), block);
      variable.write({c, begin, 0}, {1, count, rows}, {block.data(), rows * count});
    }
  }
}

class PosteriorWriter {
 public:
  /// `deviations` are those of the method's components.
  PosteriorWriter(NetcdfGroup root, const result::ProblemRecord& problem, const result::MethodRecord& method,
                  const std::vector<Matrix>& deviations)
      : root_(std::move(root)),
        problem_(problem),
        method_(method),
        deviations_(deviations),
        chains_(method.draws.num_chains()),
        draws_(method.draws.num_draws()),
        quantity_names_(variable_names(problem.quantities, problem.fields)) {}

  void write() const {
    write_attributes();
    if (method_.num_draws() > 0) {
      write_posterior_group();
      write_sample_stats();
      if (problem_.has_measurements() && method_.predicted_draws.size() > 0) write_predictive();
    }
    if (method_.prior_draws.size() > 0) {
      DataGroup group(root_.add_group("prior"), problem_, 1, static_cast<Index>(method_.prior_draws.cols()));
      group.add("kappa", {"chain", "draw", unknown_dimension(problem_)})
          .write(Matrix(method_.prior_draws.topRows(problem_.num_field_unknowns())));
      for_each_field([&](const result::FieldRecord& field, Eigen::Index first) {
        group.add(field.name, {"chain", "draw", field_dimension(field)})
            .write(Matrix(method_.prior_draws.middleRows(first, field.size)));
      });
      write_scalars(group, unconstrained_groups[1], method_.prior_draws);
    }
    if (problem_.has_measurements())
      DataGroup(root_.add_group("observed_data"), problem_).add("y", "sensor", problem_.sensors.mean);
    write_constant_data();
    if (!method_.components.empty()) write_approximation();
    write_summary();
  }

 private:
  /// Without the time: the same run gives the same bytes.
  void write_attributes() const {
    root_.set("schema", posterior_schema);
    root_.set("created_by", "varimesh");
    root_.set("inference_library", "varimesh");
    root_.set("varimesh_version", method_.version);
    root_.set("method", method_.method);
    root_.set("method_name", method_.name);
    root_.set("description", method_.description);
    root_.set("seed", method_.seed);
    root_.set("run", run_of(method_));
    root_.set("fingerprint", problem_.fingerprint);
    root_.set("title", problem_.labels.title);
    root_.set("u", problem_.labels.u);
    root_.set("u_unit", problem_.labels.u_unit);
    root_.set("conductivity", problem_.labels.conductivity);
    root_.set("flux_unit", problem_.labels.flux_unit);
    root_.set("length_unit", problem_.labels.length_unit);
    root_.set("conductivity_unit", problem_.labels.conductivity_unit);
  }

  DataGroup add_draws_group(const std::string& name) const {
    return {root_.add_group(name), problem_, chains_, draws_};
  }

  void name_quantity(const NetcdfObject& object, std::size_t q) const {
    object.set("quantity", problem_.quantities[q].name);
    object.set("long_name", problem_.quantities[q].label);
  }

  void write_posterior_group() const {
    DataGroup group = add_draws_group("posterior");
    write_draws(group.add("kappa", {"chain", "draw", unknown_dimension(problem_)}),
                [&](Index c, Eigen::Index begin, Matrix& block) {
                  block = method_.draws.chain(c).middleCols(begin, block.cols()).topRows(block.rows());
                });
    for_each_field([&](const result::FieldRecord& field, Eigen::Index first) {
      write_draws(group.add(field.name, {"chain", "draw", field_dimension(field)}),
                  [&](Index c, Eigen::Index begin, Matrix& block) {
                    block = method_.draws.chain(c).middleCols(begin, block.cols()).middleRows(first, field.size);
                  });
    });
    if (const auto scalars = static_cast<Eigen::Index>(problem_.scalars.size()); scalars > 0) {
      DataGroup unconstrained = add_draws_group(unconstrained_groups[0]);
      write_draws(unconstrained.add("scalars", {"chain", "draw", "scalar"}),
                  [&](Index c, Eigen::Index begin, Matrix& block) {
                    block = method_.draws.chain(c).middleCols(begin, block.cols()).bottomRows(scalars);
                  });
    }
    if (method_.quantity_draws.size() > 0) {
      // All are defined before the first is written: between the two the library looks through the whole file.
      std::vector<NetcdfVariable> variables;
      for (std::size_t q = 0; q < problem_.quantities.size(); ++q) {
        variables.push_back(group.add(quantity_names_[q], {"chain", "draw"}));
        name_quantity(variables.back(), q);
      }
      for (std::size_t q = 0; q < variables.size(); ++q)
        variables[q].write(Vector(method_.quantity_draws.row(static_cast<Eigen::Index>(q))));
    }
    if (method_.predicted_draws.size() > 0)
      group.add("prediction", {"chain", "draw", "sensor"}).write(method_.predicted_draws);
    if (method_.u_draws.size() > 0)
      group.add("u", {"chain", "draw", "node"}, NetcdfType::float32).write(method_.u_draws);
  }

  /// Fields besides the coefficient, each with the place of its first unknown.
  template <class Visit>
  void for_each_field(const Visit& visit) const {
    Eigen::Index first = problem_.num_field_unknowns();
    for (const result::FieldRecord& field : problem_.fields) {
      visit(field, first);
      first += field.size;
    }
  }

  /// What the quantity with a scalar's values is called.
  std::string variable_of(const result::ScalarRecord& scalar) const {
    for (std::size_t q = 0; q < problem_.quantities.size(); ++q)
      if (problem_.quantities[q].name == scalar.name) return quantity_names_[q];
    return scalar.name;
  }

  /// Draws of scalars: each by its name, and the variables of all in a group of their own.
  void write_scalars(DataGroup& group, const char* unconstrained, const Matrix& draws) const {
    const auto scalars = static_cast<Eigen::Index>(problem_.scalars.size());
    if (scalars == 0) return;
    const Matrix variables = draws.bottomRows(scalars);
    for (Eigen::Index k = 0; k < scalars; ++k) {
      const result::ScalarRecord& scalar = problem_.scalars[static_cast<std::size_t>(k)];
      const Vector values = variables.row(k).unaryExpr([&](double z) { return scalar.prior.transform.value(z); });
      group.add(variable_of(scalar), {"chain", "draw"}).write(values);
    }
    DataGroup own(root_.add_group(unconstrained), problem_, 1, static_cast<Index>(draws.cols()));
    own.add("scalars", {"chain", "draw", "scalar"}).write(variables);
  }

  /// Values of the field's unknowns on their dimension, and those of scalars beside.
  void add_vector(DataGroup& group, const std::string& name, const std::string& dimension, const Vector& values) const {
    if (!is_of_unknowns(name) || values.size() != problem_.num_unknowns()) {
      group.add(name, dimension, values);
      return;
    }
    group.add(name, dimension, problem_.field_part(values));
    for_each_field([&](const result::FieldRecord& field, Eigen::Index first) {
      group.add(field_variable(field, name), field_dimension(field), values.segment(first, field.size));
    });
    group.add(scalar_variable(name), "scalar", values.tail(static_cast<Eigen::Index>(problem_.scalars.size())));
  }

  void write_field_records(const NetcdfGroup& parent) const {
    for (const result::FieldRecord& field : problem_.fields) {
      DataGroup group(parent.add_group(field.name), problem_);
      group.group().set("unit", field.unit);
      group.group().set("unknowns", support_names[static_cast<std::size_t>(field.support)]);
      group.group().set("size", static_cast<std::uint64_t>(field.size));
      if (field.support == result::Support::cells)
        group.add("unknown_of_cell", {"mesh_cell"}, NetcdfType::int32).write(field.unknown_of_cell);
    }
  }

  void write_scalar_records(const NetcdfGroup& parent) const {
    for (const result::ScalarRecord& scalar : problem_.scalars) {
      const NetcdfGroup group = parent.add_group(scalar.name);
      group.set("unit", scalar.unit);
      group.set("prior", scalar.prior_words);
      group.set("transform", transform_names[static_cast<std::size_t>(scalar.prior.transform.kind)]);
      group.add_dimension("component", scalar.prior.normals.size());
      group.add_dimension("weight_mean_sigma", 3);
      std::vector<double> normals;
      for (const auto& [weight, mean, sigma] : scalar.prior.normals)
        normals.insert(normals.end(), {weight, mean, sigma});
      group.add_variable("normals", {"component", "weight_mean_sigma"}).write(normals);
      if (scalar.prior.transform.kind != Transform::Kind::bounded) continue;
      group.add_dimension("bound", 2);
      group.add_variable("bounds", {"bound"}).write(Vector{{scalar.prior.transform.from, scalar.prior.transform.to}});
    }
  }

  /// Statistics that a method does not have are all NaN, and left out.
  void write_sample_stats() const {
    DataGroup group = add_draws_group("sample_stats");
    for (int k = 0; k < result::num_statistics; ++k) {
      const Matrix values = method_.draws.statistic(static_cast<result::Statistic>(k));
      if (values.array().isNaN().all()) continue;
      const auto all = [&](auto holds) { return std::ranges::all_of(values.reshaped(), holds); };
      const bool flags = k == static_cast<int>(result::Statistic::divergent) &&
                         all([](double value) { return value == 0 || value == 1; });
      const bool counts =
          (k == static_cast<int>(result::Statistic::steps) || k == static_cast<int>(result::Statistic::depth)) &&
          all([](double value) {
            return std::abs(value) <= std::numeric_limits<int>::max() && value == std::floor(value);
          });
      const NetcdfVariable variable = group.add(std::string(statistic_variables[k]), {"chain", "draw"},
                                                flags    ? NetcdfType::int8
                                                : counts ? NetcdfType::int32
                                                         : NetcdfType::float64);
      // This is how xarray marks truth values.
      if (flags) variable.set("dtype", "bool");
      variable.write(values);
    }
    if (method_.log_weights.size() > 0) group.add("log_weight", {"chain", "draw"}).write(method_.log_weights);
  }

  /// Of the mean of each sensor's measurements, which is normal around the prediction with sd sigma / sqrt(count)
  /// unless there is other noise; the log-likelihood is then that of each sensor's measurements given those of all
  /// others.
  void write_predictive() const {
    const Vector sd = problem_.sensors.sigma.array() / problem_.sensors.count.array().sqrt();
    const noise::Noise* noise = problem_.sensors.noise.get();
    const auto predictions = [&](Index c, Eigen::Index begin, Eigen::Index count) {
      return method_.predicted_draws.middleCols(Eigen::Index{c} * draws_ + begin, count);
    };
    Random random(method_.seed, random_streams::replicates);
    DataGroup predictive = add_draws_group("posterior_predictive");
    write_draws(predictive.add("y", {"chain", "draw", "sensor"}), [&](Index c, Eigen::Index begin, Matrix& block) {
      if (noise) {
        block = predictions(c, begin, block.cols()) + noise->sample(static_cast<Index>(block.cols()), random);
        return;
      }
      random.fill_normal(block.reshaped());
      block = predictions(c, begin, block.cols()) + sd.asDiagonal() * block;
    });
    const Vector constants = -(sd.array() * std::sqrt(2 * std::numbers::pi)).log();
    DataGroup likelihood = add_draws_group("log_likelihood");
    write_draws(likelihood.add("y", {"chain", "draw", "sensor"}, NetcdfType::float32),
                [&](Index c, Eigen::Index begin, Matrix& block) {
                  if (noise) {
                    block = noise->given_others(predictions(c, begin, block.cols()));
                    for (Index s = 0; s < noise->size(); ++s) {
                      for (double& x : block.row(s)) x = noise->log_density(s, x);
                    }
                    return;
                  }
                  block = predictions(c, begin, block.cols()).colwise() - problem_.sensors.mean;
                  block.array().colwise() /= sd.array();
                  block = (-0.5 * block.array().square()).colwise() + constants.array();
                });
  }

  void write_constant_data() const {
    DataGroup group(root_.add_group("constant_data"), problem_);
    const mesh::Mesh& mesh = problem_.mesh;
    std::vector<double> coordinates;
    for (const Point& node : mesh.nodes)
      coordinates.insert(coordinates.end(), node.data(), node.data() + mesh.dimension());
    group.add("nodes", {"node", "space"}).write(coordinates);
    const NetcdfVariable cells = group.add("cells", {"mesh_cell", "vertex"}, NetcdfType::int32);
    cells.set("cell_type", mesh::topology(mesh.cell_type).name);
    cells.write(mesh.cell_nodes);
    group.group().set("unknowns", support_names[static_cast<std::size_t>(problem_.support)]);
    if (!problem_.on_nodes())
      group.add("unknown_of_cell", {"mesh_cell"}, NetcdfType::int32).write(problem_.unknown_of_cell);
    if (problem_.known_kappa.size() > 0) group.add("known_kappa", "mesh_cell", problem_.known_kappa);
    if (!problem_.conductivity_tensor.empty()) {
      group.set_length("direction", static_cast<std::size_t>(mesh.dimension()));
      group.add("conductivity_tensor", {"mesh_cell", "space", "direction"}).write(problem_.conductivity_tensor);
    }
    group.add_dimension(unknown_dimension(problem_));
    if (problem_.num_sensors() > 0) group.add_dimension("sensor");
    group.add("sigma", "sensor", problem_.sensors.sigma);
    group.add("count", "sensor", problem_.sensors.count);
    if (!problem_.sensors.labels.empty()) group.group().add_texts("sensor_label", "sensor", problem_.sensors.labels);
    if (!problem_.sensors.kinds.empty()) group.group().add_texts("sensor_kind", "sensor", problem_.sensors.kinds);
    if (problem_.truth)
      for_each_truth(problem_, *problem_.truth, [&](const char* name, const char* dimension, const Vector& values) {
        add_vector(group, name, dimension, values);
      });
    if (!problem_.fields.empty()) write_field_records(group.group().add_group("fields"));
    if (!problem_.scalars.empty()) write_scalar_records(group.group().add_group("scalars"));
  }

  void write_approximation() const {
    DataGroup group(root_.add_group("approximation"), problem_);
    if (method_.components.size() == 1) {
      write_component(group, 0);
      return;
    }
    group.group().set("kind", "mixture");
    for (std::size_t k = 0; k < method_.components.size(); ++k) {
      DataGroup component(group.group().add_group(fmt::format("component_{}", k)), problem_);
      write_component(component, k);
    }
  }

  void write_component(DataGroup& group, std::size_t k) const {
    const bool alone = problem_.num_unknowns() == problem_.num_field_unknowns();
    const char* dimension = alone ? unknown_dimension(problem_) : "unknown";
    group.add_dimension(dimension);
    write_gaussian(group.group(), *method_.components[k], deviations_[k], dimension);
  }

  void write_summary() const {
    DataGroup group(root_.add_group("summary"), problem_);
    group.set_length("shown", method_.shown_draws.size());
    group.set_length("trace_point", method_.trace.size());
    for_each_summary(problem_, method_, [&](const char* name, const char* dimension, const Vector& values) {
      add_vector(group, name, dimension, values);
    });
    if (!method_.shown_draws.empty()) {
      group.add("shown_draws", {"shown"}, NetcdfType::int32).write(method_.shown_draws);
      if (method_.shown_u.rows() > 0)
        group.add("shown_u", {"shown", "node"}, NetcdfType::float32).write(method_.shown_u);
    }
    if (!method_.trace.empty()) {
      const auto write_trace = [&](std::string_view name, auto member, NetcdfType type) {
        std::vector<double> values;
        for (const result::TracePoint& point : method_.trace) values.push_back(point.*member);
        group.add(std::string(name), {"trace_point"}, type).write(values);
      };
      for (const auto& [name, member] : trace_counts) write_trace(name, member, NetcdfType::int32);
      for (const auto& [name, member] : trace_numbers) write_trace(name, member, NetcdfType::float64);
    }
    if (!problem_.quantities.empty()) write_quantities(group.group().add_group("quantities"));
  }

  /// All are defined before the first is written, here as well.
  void write_quantities(const NetcdfGroup& parent) const {
    std::vector<std::pair<NetcdfVariable, Vector>> contents;
    for (std::size_t q = 0; q < problem_.quantities.size(); ++q) {
      const NetcdfGroup group = parent.add_group(quantity_names_[q]);
      name_quantity(group, q);
      if (q >= method_.quantities.size()) continue;
      const result::QuantitySummary& summary = method_.quantities[q];
      for_each_scalar(summary, [&](const char* name, double value) {
        contents.emplace_back(group.add_variable(name, {}), Vector::Constant(1, value));
      });
      if (summary.density_x.size() == 0) continue;
      group.add_dimension("density_x", static_cast<std::size_t>(summary.density_x.size()));
      contents.emplace_back(group.add_variable("density_x", {"density_x"}), summary.density_x);
      contents.emplace_back(group.add_variable("density", {"density_x"}), summary.density);
    }
    for (const auto& [variable, values] : contents) variable.write(values);
  }

  NetcdfGroup root_;
  const result::ProblemRecord& problem_;
  const result::MethodRecord& method_;
  const std::vector<Matrix>& deviations_;
  Index chains_, draws_;
  std::vector<std::string> quantity_names_;
};

/// What an error says beside the name of the temporary file, which says nothing to people.
std::string why(const InputError& error, const std::filesystem::path& temporary) {
  const std::string text = error.what(), place = temporary.string() + ": ";
  const std::size_t found = text.find(place);
  return found == std::string::npos ? text : text.substr(found + place.size());
}

}  // namespace

void add_posterior(PendingFiles& files, const std::filesystem::path& file, const result::ProblemRecord& problem,
                   const result::MethodRecord& method) {
  if (!method.has_answer()) throw InputError(fmt::format("cannot write {}: the method has no answer", file.string()));
  files.add(file, [&](const std::filesystem::path& temporary) {
    std::vector<Matrix> deviations;
    const auto write = [&] {
      NetcdfFile netcdf(temporary, NetcdfFile::Mode::create);
      PosteriorWriter(netcdf.root(), problem, method, deviations).write();
      netcdf.finish();
      append_seal(temporary);
    };
    try {
      for (const auto& component : method.components) deviations.push_back(deviations_of(*component));
      run_in_child(write, "the NetCDF library crashed");
    } catch (const InputError& error) {
      throw InputError(fmt::format("cannot write {}: {}", file.string(), why(error, temporary)));
    } catch (const std::bad_alloc&) {
      throw InputError(fmt::format("cannot write {}: there is not enough memory", file.string()));
    }
  });
}

void write_posterior(const std::filesystem::path& file, const result::ProblemRecord& problem,
                     const result::MethodRecord& method) {
  PendingFiles files(Durable::no);
  add_posterior(files, file, problem, method);
  files.commit();
}

}  // namespace varimesh::io
