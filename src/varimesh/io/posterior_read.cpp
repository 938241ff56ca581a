#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "varimesh/child_process.h"
#include "varimesh/error.h"
#include "varimesh/io/gaussian_group.h"
#include "varimesh/io/netcdf.h"
#include "varimesh/io/posterior_file.h"
#include "varimesh/io/posterior_layout.h"
#include "varimesh/io/seal.h"
#include "varimesh/quote.h"

namespace varimesh::io {
namespace {

/// A matrix of `rows` x all the columns that the other dimensions count: NetCDF's last dimension runs fastest.
Matrix read_matrix(const NetcdfVariable& variable, const Shape& shape) {
  return variable.read(shape).reshaped(static_cast<Eigen::Index>(shape.back()), Eigen::AutoSize);
}

mesh::CellType read_cell_type(const NetcdfVariable& cells) {
  const std::string name = cells.text("cell_type").value_or("");
  for (const auto type : {mesh::CellType::line, mesh::CellType::triangle, mesh::CellType::quadrilateral,
                          mesh::CellType::tetrahedron, mesh::CellType::hexahedron}) {
    if (mesh::topology(type).name == name) return type;
  }
  cells.fail(fmt::format("expected a cell_type that is the name of one, found {}", quote(name)));
}

result::Support read_support(const NetcdfGroup& group) {
  const std::string name = group.text("unknowns").value_or(std::string(support_names[0]));
  const auto* found = std::ranges::find(support_names, name);
  if (found == std::end(support_names))
    group.fail(fmt::format("expected the attribute unknowns to be '{}', found {}", fmt::join(support_names, "' or '"),
                           quote(name)));
  return static_cast<result::Support>(found - std::begin(support_names));
}

/// One coordinate each of the points on a dimension.
std::vector<Point> read_points(const NetcdfGroup& group, const std::string& dimension, int axes) {
  const Shape shape = group.variable(axis_of(dimension, 0)).shape();
  if (shape.size() != 1) group.variable(axis_of(dimension, 0)).fail("expected one dimension");
  std::vector<Point> points(shape[0], Point::Zero());
  for (int axis = 0; axis < axes; ++axis) {
    const NetcdfVariable variable = group.variable(axis_of(dimension, axis));
    const Vector values = variable.read(shape);
    if (!values.allFinite()) variable.fail("expected finite numbers");
    for (std::size_t i = 0; i < points.size(); ++i) points[i][axis] = values[static_cast<Eigen::Index>(i)];
  }
  return points;
}

/// Reads the groups in the order in which they depend on each other's sizes.
class PosteriorReader {
 public:
  PosteriorReader(NetcdfGroup root, std::string name, const std::optional<result::ProblemSizes>& sizes,
                  result::ProblemRecord& problem, result::MethodRecord& method)
      : root_(std::move(root)), name_(std::move(name)), sizes_(sizes), problem_(problem), method_(method) {}

  void read() {
    const auto schema = root_.number("schema");
    if (schema != posterior_schema)
      root_.fail(fmt::format("expected the attribute schema to be {}, found {}", posterior_schema,
                             schema ? fmt::format("{}", *schema) : "none"));
    const auto fingerprint = root_.text("fingerprint");
    if (!problem_.fingerprint.empty() && fingerprint && *fingerprint != problem_.fingerprint)
      root_.fail("expected the draws of the problem that summary.json is about, found those of another");
    if (!method_.method.empty()) require_method();
    read_mesh();
    read_unknowns();
    read_fields();
    read_scalars();
    read_sensors();
    read_quantities();
    read_truth();
    read_draws();
    read_predictions();
    read_prior();
    read_approximation();
    read_summary();
  }

 private:
  /// What it says of itself must be what the summary says.
  void require_method() const {
    const auto method = root_.text("method"), run = root_.text("run");
    if (method && *method != method_.method)
      root_.fail(fmt::format("expected the draws of method {}, which summary.json is about, found those of {}",
                             quote(method_.method), quote(*method)));
    const auto seed = root_.whole_number("seed");
    if (seed && *seed != method_.seed)
      root_.fail(fmt::format("expected the draws with seed {}, which summary.json is about, found those with {}",
                             method_.seed, *seed));
    if (run && *run != run_of(method_))
      root_.fail("expected the draws of the run that summary.json is about, found those of another");
  }

  /// Refuses a size other than the summary's before anything of it is read.
  void require_size(const NetcdfVariable& variable, std::size_t found, long long result::ProblemSizes::* size) const {
    if (sizes_ && (*sizes_).*size != static_cast<long long>(found))
      variable.fail(fmt::format("expected a length of {}, as summary.json says, found {}", (*sizes_).*size, found));
  }

  /// The length of a dimension, as variables on it must have it.
  std::size_t length(std::string_view dimension) const {
    return dimension == "cell"     ? problem_.positions.size()
           : dimension == "node"   ? problem_.mesh.nodes.size()
           : dimension == "sensor" ? problem_.sensors.points.size()
                                   : problem_.quantities.size();
  }

  /// A vector, empty if the file does not have it.
  static Vector read_vector(const std::optional<NetcdfGroup>& group, const std::string& name, std::size_t length) {
    const auto variable = group ? group->find_variable(name) : std::nullopt;
    return variable ? variable->read({length}) : Vector();
  }

  void read_mesh() {
    const NetcdfGroup group = root_.group("constant_data");
    const NetcdfVariable cells = group.variable("cells"), nodes = group.variable("nodes");
    mesh::Mesh mesh;
    mesh.cell_type = read_cell_type(cells);
    const Shape shape = nodes.shape();
    const auto dimension = static_cast<std::size_t>(mesh.dimension());
    if (shape.size() != 2 || shape[1] != dimension)
      nodes.fail(fmt::format("expected {} coordinates for each node", dimension));
    require_size(nodes, shape[0], &result::ProblemSizes::nodes);
    const Shape cells_shape = cells.shape();
    require_size(cells, cells_shape.front(), &result::ProblemSizes::cells);
    const Matrix coordinates = read_matrix(nodes, shape);
    mesh.nodes.assign(shape[0], Point::Zero());
    for (Index v = 0; v < mesh.num_nodes(); ++v) mesh.nodes[v].head(mesh.dimension()) = coordinates.col(v);

    const auto vertices = static_cast<std::size_t>(mesh::topology(mesh.cell_type).num_nodes);
    if (cells_shape.size() != 2 || cells_shape[1] != vertices)
      cells.fail(fmt::format("expected {} nodes for each cell", vertices));
    mesh.cell_nodes = cells.read_indices(cells_shape, mesh.num_nodes());
    mesh::validate(mesh,
                   {.mesh = name_ + ": constant_data", .cells = {}, .nodes = {}, .cell = "cell", .inverted_hint = ""});
    problem_.mesh = std::move(mesh);
  }

  void read_unknowns() {
    const NetcdfGroup group = root_.group("constant_data");
    problem_.support = read_support(group);
    problem_.unknown_of_cell.clear();
    problem_.conductivity_tensor.clear();
    if (const auto tensor = group.find_variable("conductivity_tensor")) {
      const auto dimension = static_cast<std::size_t>(problem_.mesh.dimension());
      const Vector entries = tensor->read({static_cast<std::size_t>(problem_.mesh.num_cells()), dimension, dimension});
      problem_.conductivity_tensor.assign(entries.begin(), entries.end());
    }
    if (problem_.on_nodes()) {
      problem_.positions = problem_.mesh.nodes;
      return;
    }
    const NetcdfVariable first_axis = group.variable(axis_of("cell", 0));
    require_size(first_axis, first_axis.shape().front(), &result::ProblemSizes::unknowns);
    problem_.positions = read_points(group, "cell", problem_.mesh.dimension());
    const Shape one_per_cell = {static_cast<std::size_t>(problem_.mesh.num_cells())};
    const auto known = group.find_variable("known_kappa");
    const NetcdfVariable unknowns = group.variable("unknown_of_cell");
    problem_.unknown_of_cell = unknowns.read_indices(one_per_cell, problem_.num_field_unknowns(), known ? -1 : 0);
    problem_.known_kappa = known ? known->read(one_per_cell) : Vector(0);
    for (std::size_t c = 0; known && c < problem_.unknown_of_cell.size(); ++c) {
      if (std::isfinite(problem_.known_kappa[static_cast<Eigen::Index>(c)]) != (problem_.unknown_of_cell[c] < 0))
        unknowns.fail("expected -1 where kappa is known, and there alone");
    }
  }

  void read_fields() {
    problem_.fields.clear();
    const auto parent = root_.group("constant_data").find_group("fields");
    if (!parent) return;
    for (const std::string& name : parent->group_names()) {
      const NetcdfGroup group = parent->group(name);
      result::FieldRecord field{name, group.text("unit").value_or(""), read_support(group), {}, 0};
      const auto size = group.whole_number("size");
      if (!size || *size == 0 || *size > std::numeric_limits<Index>::max() / 2)
        group.fail("expected the attribute size to be a number of unknowns");
      field.size = static_cast<Index>(*size);
      if (field.support == result::Support::cells) {
        if (field.size > problem_.mesh.num_cells()) group.fail("expected at most one unknown in each cell");
        const Shape one_per_cell = {static_cast<std::size_t>(problem_.mesh.num_cells())};
        field.unknown_of_cell = group.variable("unknown_of_cell").read_indices(one_per_cell, field.size);
      } else if (field.size != problem_.mesh.num_nodes()) {
        group.fail("expected an unknown at each node");
      }
      problem_.fields.push_back(std::move(field));
    }
  }

  void read_scalars() {
    problem_.scalars.clear();
    const auto parent = root_.group("constant_data").find_group("scalars");
    if (!parent) return;
    for (const std::string& name : parent->group_names()) {
      const NetcdfGroup group = parent->group(name);
      const std::string transform = group.text("transform").value_or("");
      const auto* found = std::ranges::find(transform_names, transform);
      if (found == std::end(transform_names))
        group.fail(fmt::format("expected the attribute transform to be '{}', found {}",
                               fmt::join(transform_names, "', '"), quote(transform)));
      Transform known{static_cast<Transform::Kind>(found - std::begin(transform_names))};
      if (known.kind == Transform::Kind::bounded) {
        const Vector bounds = group.variable("bounds").read({2});
        if (!(bounds[0] < bounds[1])) group.fail("expected two bounds, the lower one first");
        known.from = bounds[0];
        known.to = bounds[1];
      }
      const NetcdfVariable normals = group.variable("normals");
      const Shape shape = normals.shape();
      if (shape.size() != 2 || shape[0] == 0) normals.fail("expected a normal distribution or more");
      const Matrix numbers = read_matrix(normals, {shape[0], 3});
      ScalarPrior prior{known, {}};
      for (Eigen::Index k = 0; k < numbers.cols(); ++k)
        prior.normals.push_back({numbers(0, k), numbers(1, k), numbers(2, k)});
      problem_.scalars.push_back(
          {name, group.text("unit").value_or(""), std::move(prior), group.text("prior").value_or("")});
    }
  }

  /// A vector of all unknowns, or of something else.
  Vector read_summary_vector(const NetcdfGroup& group, const std::string& name, const char* dimension) const {
    Vector values = read_vector(group, name, length(dimension));
    if (!is_of_unknowns(name) || values.size() == 0) return values;
    Vector all(problem_.num_unknowns());
    all.head(values.size()) = values;
    Eigen::Index next = values.size();
    for (const result::FieldRecord& field : problem_.fields) {
      all.segment(next, field.size) =
          group.variable(field_variable(field, name)).read({static_cast<std::size_t>(field.size)});
      next += field.size;
    }
    if (!problem_.scalars.empty())
      all.tail(all.size() - next) = group.variable(scalar_variable(name)).read({problem_.scalars.size()});
    return all;
  }

  void read_sensors() {
    const NetcdfGroup group = root_.group("constant_data");
    problem_.sensors = {};
    if (!group.find_variable("sensor")) return;
    const NetcdfVariable first_axis = group.variable(axis_of("sensor", 0));
    require_size(first_axis, first_axis.shape().front(), &result::ProblemSizes::sensors);
    result::SensorRecord& sensors = problem_.sensors;
    sensors.points = read_points(group, "sensor", problem_.mesh.dimension());
    sensors.labels = group.find_texts("sensor_label", sensors.points.size());
    sensors.kinds = group.find_texts("sensor_kind", sensors.points.size());
    const auto observed = root_.find_group("observed_data");
    if (!observed) return;
    const Shape shape = {sensors.points.size()};
    sensors.mean = observed->variable("y").read(shape);
    sensors.sigma = group.variable("sigma").read(shape);
    sensors.count = group.variable("count").read(shape);
  }

  /// The names; the group's own name is that of the variable with the draws.
  void read_quantities() {
    const std::size_t expected = problem_.quantities.size();
    problem_.quantities.clear();
    const auto parent = root_.group("summary").find_group("quantities");
    if (parent) quantity_variables_ = parent->group_names();
    if (sizes_ && parent && quantity_variables_.size() != expected)
      parent->fail(
          fmt::format("expected {} groups, as summary.json says, found {}", expected, quantity_variables_.size()));
    for (const std::string& name : quantity_variables_) {
      const NetcdfGroup group = parent->group(name);
      problem_.quantities.push_back({group.text("quantity").value_or(""), group.text("long_name").value_or("")});
    }
  }

  void read_truth() {
    result::Truth truth;
    bool known = false;
    for_each_truth(problem_, truth, [&](const char* name, const char* dimension, Vector& values) {
      values = read_summary_vector(root_.group("constant_data"), name, dimension);
      known |= values.size() > 0;
    });
    problem_.truth = known ? std::optional(std::move(truth)) : std::nullopt;
  }

  void read_draws() {
    method_.draws = {};
    chains_ = draws_ = 0;
    const auto group = root_.find_group("posterior");
    if (!group) return;
    const NetcdfVariable kappa = group->variable("kappa");
    const Shape shape = kappa.shape();
    const std::size_t field = problem_.positions.size(), n = static_cast<std::size_t>(problem_.num_unknowns()),
                      stride = n + result::num_statistics;
    if (shape.size() != 3 || shape[2] != field)
      kappa.fail(fmt::format("expected {} unknowns of chains of draws", field));
    chains_ = shape[0];
    draws_ = shape[1];
    if (chains_ == 0 || draws_ == 0) kappa.fail("expected a draw or more");

    const NetcdfGroup statistics = root_.group("sample_stats");
    std::vector<std::shared_ptr<const result::ChainDraws>> chains;
    for (std::size_t c = 0; c < chains_; ++c) {
      std::vector<double> records(draws_ * stride, std::numeric_limits<double>::quiet_NaN());
      read_block(kappa, c, 0, field, records);
      std::size_t next = field;
      for (const result::FieldRecord& further : problem_.fields) {
        read_block(group->variable(further.name), c, next, static_cast<std::size_t>(further.size), records);
        next += static_cast<std::size_t>(further.size);
      }
      if (next < n) read_block(root_.group(unconstrained_groups[0]).variable("scalars"), c, next, n - next, records);
      for (std::size_t k = 0; k < std::size(statistic_variables); ++k) {
        const auto variable = statistics.find_variable(std::string(statistic_variables[k]));
        if (!variable) continue;
        variable->expect_shape({chains_, draws_});
        std::vector<double> values(draws_);
        variable->read({c, 0}, {1, draws_}, values);
        for (std::size_t d = 0; d < draws_; ++d) records[d * stride + n + k] = values[d];
      }
      chains.push_back(std::make_shared<result::MemoryDraws>(std::move(records)));
    }
    method_.draws = {static_cast<Index>(n), std::move(chains)};
    const auto weights = statistics.find_variable("log_weight");
    method_.log_weights = weights ? weights->read({chains_, draws_}) : Vector();
  }

  /// A chain's draws of some unknowns, in blocks, to where they belong among the others and the statistics.
  void read_block(const NetcdfVariable& kappa, std::size_t chain, std::size_t first, std::size_t n,
                  std::vector<double>& records) const {
    kappa.expect_shape({chains_, draws_, n});
    const std::size_t rows = kappa.rows_per_block();
    const auto stride = static_cast<Eigen::Index>(problem_.num_unknowns() + result::num_statistics);
    Matrix block;
    for (std::size_t begin = 0; begin < draws_; begin += rows) {
      const std::size_t count = std::min(rows, draws_ - begin);
      block.resize(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(count));
      kappa.read({chain, begin, 0}, {1, count, n}, {block.data(), n * count});
      Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>(
          records.data() + begin * static_cast<std::size_t>(stride) + first, block.rows(), block.cols(),
          Eigen::OuterStride<>(stride)) = block;
    }
  }

  void read_predictions() {
    method_.quantity_draws = method_.predicted_draws = method_.u_draws = Matrix();
    const auto group = root_.find_group("posterior");
    if (!group) return;
    if (const auto variable = group->find_variable("prediction"))
      method_.predicted_draws = read_matrix(*variable, {chains_, draws_, length("sensor")});
    if (const auto variable = group->find_variable("u"))
      method_.u_draws = read_matrix(*variable, {chains_, draws_, length("node")});
    if (quantity_variables_.empty() || !group->find_variable(quantity_variables_.front())) return;
    method_.quantity_draws.resize(static_cast<Eigen::Index>(quantity_variables_.size()), method_.num_draws());
    for (std::size_t q = 0; q < quantity_variables_.size(); ++q)
      method_.quantity_draws.row(static_cast<Eigen::Index>(q)) =
          group->variable(quantity_variables_[q]).read({chains_, draws_});
  }

  void read_prior() {
    method_.prior_draws = Matrix();
    const auto group = root_.find_group("prior");
    if (!group) return;
    const NetcdfVariable kappa = group->variable("kappa");
    Shape shape = kappa.shape();
    if (shape.size() != 3) kappa.fail("expected three dimensions");
    method_.prior_draws = read_matrix(kappa, {1, shape[1], problem_.positions.size()});
    Matrix all(problem_.num_unknowns(), method_.prior_draws.cols());
    Eigen::Index next = method_.prior_draws.rows();
    all.topRows(next) = method_.prior_draws;
    for (const result::FieldRecord& field : problem_.fields) {
      all.middleRows(next, field.size) =
          read_matrix(group->variable(field.name), {1, shape[1], static_cast<std::size_t>(field.size)});
      next += field.size;
    }
    if (!problem_.scalars.empty())
      all.bottomRows(all.rows() - next) =
          read_matrix(root_.group(unconstrained_groups[1]).variable("scalars"), {1, shape[1], problem_.scalars.size()});
    method_.prior_draws = std::move(all);
  }

  void read_approximation() {
    method_.components.clear();
    const auto group = root_.find_group("approximation");
    if (!group) return;
    if (group->text("kind") != "mixture") {
      if (auto normal = read_gaussian(*group, problem_.num_unknowns())) method_.components = {std::move(normal)};
      return;
    }
    for (const std::string& name : group->group_names())
      method_.components.push_back(read_gaussian(group->group(name), problem_.num_unknowns()));
  }

  void read_summary() {
    const NetcdfGroup group = root_.group("summary");
    for_each_summary(problem_, method_, [&](const char* name, const char* dimension, Vector& values) {
      values = read_summary_vector(group, name, dimension);
    });
    method_.shown_draws.clear();
    method_.shown_u = Matrix();
    if (const auto shown = group.find_variable("shown_draws")) {
      const Shape shape = shown->shape();
      if (shape.size() != 1) shown->fail("expected one dimension");
      method_.shown_draws = shown->read_indices(shape, method_.num_draws());
      if (const auto u = group.find_variable("shown_u")) method_.shown_u = read_matrix(*u, {shape[0], length("node")});
    }
    read_trace(group);
    read_quantity_summaries(group);
  }

  void read_trace(const NetcdfGroup& group) {
    method_.trace.clear();
    if (!group.find_variable(std::string(trace_counts[0].first))) return;
    const Shape shape = group.variable(std::string(trace_counts[0].first)).shape();
    if (shape.size() != 1) group.variable(std::string(trace_counts[0].first)).fail("expected one dimension");
    method_.trace.resize(shape[0]);
    for (const auto& [name, member] : trace_counts) {
      const auto values = group.variable(std::string(name)).read_indices(shape, std::numeric_limits<Index>::max());
      for (std::size_t i = 0; i < values.size(); ++i) method_.trace[i].*member = values[i];
    }
    for (const auto& [name, member] : trace_numbers) {
      const Vector values = group.variable(std::string(name)).read(shape);
      for (std::size_t i = 0; i < shape[0]; ++i) method_.trace[i].*member = values[static_cast<Eigen::Index>(i)];
    }
  }

  void read_quantity_summaries(const NetcdfGroup& parent) {
    method_.quantities.clear();
    for (const std::string& name : quantity_variables_) {
      const NetcdfGroup group = parent.group("quantities").group(name);
      if (!group.find_variable("mean")) continue;
      result::QuantitySummary summary;
      for_each_scalar(summary, [&](const char* scalar, double& value) { value = group.variable(scalar).read({})[0]; });
      if (const auto grid = group.find_variable("density_x")) {
        const Shape shape = grid->shape();
        summary.density_x = grid->read(shape);
        summary.density = group.variable("density").read(shape);
      }
      method_.quantities.push_back(std::move(summary));
    }
    if (!method_.quantities.empty() && method_.quantities.size() != quantity_variables_.size())
      parent.group("quantities").fail("expected a summary of every quantity or of none");
  }

  NetcdfGroup root_;
  std::string name_;
  const std::optional<result::ProblemSizes>& sizes_;
  result::ProblemRecord& problem_;
  result::MethodRecord& method_;
  std::size_t chains_ = 0, draws_ = 0;
  std::vector<std::string> quantity_variables_;
};

/// Throws an InputError if reading crashes, or takes far more memory or time than a file of its size is worth.
void try_to_read(const std::filesystem::path& file, const std::function<void()>& read) {
  constexpr std::uint64_t least_bytes = std::uint64_t{256} << 20, bytes_for_each = 64, least_seconds = 60;
  std::error_code ignored;
  const std::uintmax_t bytes = std::filesystem::file_size(file, ignored);
  if (ignored || bytes > std::numeric_limits<std::uintmax_t>::max() / (2 * bytes_for_each)) return;
  run_in_child(read, fmt::format("{} is damaged: the NetCDF library crashed on reading it", file.string()),
               {.bytes = least_bytes + bytes_for_each * bytes, .seconds = least_seconds + bytes / 1'000'000});
}

}  // namespace

void read_posterior(const std::filesystem::path& file, result::ProblemRecord& problem, result::MethodRecord& method,
                    const std::optional<result::ProblemSizes>& sizes) {
  // Copies, so that a broken file changes nothing.
  result::ProblemRecord new_problem = problem;
  result::MethodRecord new_method = method;
  const auto read = [&] {
    const NetcdfFile netcdf(file, NetcdfFile::Mode::read);
    PosteriorReader(netcdf.root(), netcdf.name(), sizes, new_problem, new_method).read();
  };
  try {
    // Files that are not ours to the last byte are read by another process first: HDF5 crashes on some that are broken.
    if (!check_seal(file)) try_to_read(file, read);
    read();
  } catch (const std::bad_alloc&) {
    throw InputError(fmt::format("cannot read {}: it needs more memory than there is", file.string()));
  }
  problem = std::move(new_problem);
  method = std::move(new_method);
}

}  // namespace varimesh::io
