// posterior.nc that is not what summary.json says, or that somebody has made to crash who reads it.
#include <gmock/gmock.h>

#include "../expect_input_error.h"
#include "../records.h"
#include "../scratch_directory.h"
#include "varimesh/child_process.h"
#include "varimesh/io/posterior_file.h"
#include "varimesh/io/summary_file.h"
#include "varimesh/result/draw_file.h"
#include "varimesh/run/result_directory.h"

namespace varimesh::io {
namespace {

using testing::HasSubstr;

class PosteriorTrust : public testing::Test {
 protected:
  std::filesystem::path file() const { return scratch_.path() / "posterior.nc"; }
  /// What reading complains about beside a summary of other records.
  std::string complaint(const result::ProblemRecord& problem, const result::MethodRecord& method) const {
    result::ProblemRecord new_problem;
    result::MethodRecord new_method;
    const auto sizes = parse_summary(format_summary(problem, method), "summary.json", new_problem, new_method);
    return test::input_error([&] { read_posterior(file(), new_problem, new_method, sizes); });
  }
  /// The file without its checksum, as others leave it who have worked on it.
  void break_seal() const {
    const std::string bytes = scratch_.read("posterior.nc");
    scratch_.write("posterior.nc", bytes.substr(0, bytes.size() - 16));
  }

  const test::ScratchDirectory scratch_;
};

TEST_F(PosteriorTrust, OfAnotherMethodSeedOrRunIsRefused) {
  const auto problem = test::sample_problem(1);
  const auto method = test::sample_chains(problem);
  write_posterior(file(), problem, method);
  EXPECT_EQ(complaint(problem, method), "");
  const std::string place = file().string() + ": /: ";
  auto other = method;
  other.method = "hmc";
  EXPECT_EQ(complaint(problem, other),
            place + "expected the draws of method 'hmc', which summary.json is about, found those of 'nuts'");
  other = method;
  other.seed = 43;
  EXPECT_EQ(complaint(problem, other),
            place + "expected the draws with seed 43, which summary.json is about, found those with 42");
  const std::string another =
      place + "expected the draws of the run that summary.json is about, found those of another";
  other = method;
  other.counts.gradients += 1;
  EXPECT_EQ(complaint(problem, other), another);
  other = method;
  other.settings[1].value = 0.02;
  EXPECT_EQ(complaint(problem, other), another);
}

TEST_F(PosteriorTrust, SeedsThatDoublesDoNotHoldAreToldApart) {
  const auto problem = test::sample_problem(1);
  auto method = test::sample_chains(problem);
  method.seed = (std::uint64_t{1} << 60) + 1;
  write_posterior(file(), problem, method);
  EXPECT_EQ(complaint(problem, method), "");
  method.seed += 1;
  EXPECT_THAT(complaint(problem, method), HasSubstr("expected the draws with seed 1152921504606846978"));
}

TEST_F(PosteriorTrust, OfAnotherRunIsNoResultToGoOnFrom) {
  const auto problem = test::sample_problem(1);
  auto method = test::sample_chains(problem);
  run::write_result(scratch_.path(), problem, method);
  EXPECT_TRUE(run::find_result(scratch_.path()));
  method.seed = 5;
  write_posterior(file(), problem, method);
  EXPECT_FALSE(run::find_result(scratch_.path()));
  EXPECT_THROW(run::read_result(scratch_.path()), InputError);
}

TEST_F(PosteriorTrust, SizesOtherThanTheSummarysAreRefusedBeforeTheyAreRead) {
  const auto problem = test::sample_problem(2);
  const auto method = test::sample_chains(problem);
  auto larger = problem;
  larger.mesh = mesh::create_rectangle(mesh::CellType::triangle, {5, 3}, {});
  larger.unknown_of_cell.clear();
  larger.positions.clear();
  for (Index c = 0; c < larger.mesh.num_cells(); ++c) {
    larger.unknown_of_cell.push_back(c);
    larger.positions.push_back(mesh::centroid(larger.mesh, c));
  }
  write_posterior(file(), problem, method);
  EXPECT_EQ(complaint(larger, method),
            file().string() + ": constant_data/nodes: expected a length of 24, as summary.json says, found 20");
  auto sensors = problem;
  sensors.sensors.points.pop_back();
  EXPECT_THAT(complaint(sensors, method), HasSubstr("constant_data/sensor_x: expected a length of 6"));
  auto quantities = problem;
  quantities.quantities.pop_back();
  EXPECT_THAT(complaint(quantities, method),
              HasSubstr("summary/quantities: expected 1 groups, as summary.json says, found 2"));
}

TEST_F(PosteriorTrust, DamageWithoutAChecksumCrashesNobody) {
  const auto problem = test::sample_problem(2);
  const auto method = test::sample_fit(problem, test::SampleFamily::sparse);
  write_posterior(file(), problem, method);
  break_seal();
  const std::string bytes = scratch_.read("posterior.nc");
  Random random(19);
  const auto below = [&](std::size_t end) {
    return static_cast<std::size_t>(random.uniform() * static_cast<double>(end));
  };
  int read = 0, refused = 0;
  for (int run = 0; run < 80; ++run) {
    std::string damaged = bytes;
    // Where the structure is, and anywhere.
    const std::size_t start = below(run % 2 == 0 ? 4000 : bytes.size()), length = 1 + below(run % 3 == 0 ? 200 : 8);
    for (std::size_t i = start; i < std::min(start + length, bytes.size()); ++i)
      damaged[i] = static_cast<char>(below(256));
    scratch_.write("posterior.nc", damaged);
    ++(complaint(problem, method).empty() ? read : refused);
  }
  EXPECT_EQ(read + refused, 80);
  EXPECT_GT(refused, 8);
}

TEST_F(PosteriorTrust, DrawsAreWrittenWithoutHavingThemInMemory) {
  constexpr Index cells = 1000, draws = 16'000;  // 128 MB
  constexpr std::uint64_t megabytes = 1 << 20;
  result::ProblemRecord problem = test::sample_problem(1);
  problem.mesh = mesh::create_interval(cells);
  problem.unknown_of_cell.clear();
  problem.positions.clear();
  for (Index c = 0; c < cells; ++c) {
    problem.unknown_of_cell.push_back(c);
    problem.positions.push_back(mesh::centroid(problem.mesh, c));
  }
  problem.truth = std::nullopt;
  const result::DrawSource source{.unknowns = cells};
  const auto draw_file = scratch_.path() / "chain.draws";
  result::DrawWriter::create(draw_file, source);
  std::filesystem::resize_file(
      draw_file, result::draw_file_header + std::uintmax_t{draws} * result::record_length(cells) * sizeof(double));
  result::MethodRecord method;
  method.method = "nuts";
  method.draws = {cells, {result::map_draws(draw_file, source)}};
  method.kappa = {Vector::Zero(cells), Vector::Ones(cells), Vector::Zero(cells), Vector::Zero(cells),
                  Vector::Zero(cells)};
  EXPECT_NO_THROW(run_in_child([&] { write_posterior(file(), problem, method); }, "", {.bytes = 80 * megabytes}));
  EXPECT_GT(std::filesystem::file_size(file()), 120 * megabytes);
}

}  // namespace
}  // namespace varimesh::io
