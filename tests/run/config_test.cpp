#include "varimesh/run/config.h"

#include <gtest/gtest.h>

#include "varimesh/error.h"

namespace varimesh::run {
namespace {

Config parse(const std::string& text) { return parse_config(text, "problem.toml"); }

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::string interval = "[mesh]\nkind = \"interval\"\ncells = 4\n";
const std::string rectangle = "[mesh]\nkind = \"rectangle\"\ncells = [4, 4]\n";

struct ErrorCase {
  std::string text, message;
};

void expect_errors(const std::vector<ErrorCase>& cases) {
  for (const auto& [text, message] : cases) EXPECT_EQ(error_of(text), message) << text;
}

TEST(Config, ReadsEveryKeyBack) {
  const Config config = parse_config(R"toml(
[mesh]
kind = "rectangle"
cells = [32, 16]
cell_type = "quadrilateral"
extent = [[0, 2], [-1, 1.5]]
[equation]
source = { steel = 10, "soft wood" = "x*y" }
[boundary]
right = { neumann = "sin(pi*y)" }
left = { dirichlet = 0.5 }
[boundary.bottom]
dirichlet = 1
[coefficient]
per = "block"
blocks = [8, 4]
[observations]
data = "measurements.csv"
sensors = "../sensors.csv"
sigma = 0.05
replicates = 3
[prior]
kind = "gaussian_process"
kernel = "periodic"
sigma = 2
length_scale = [0.2, 0.4]
mean = -1
jitter = 0
period = 1.5
[quantities]
outflow = { flux = "right" }
log_outflow = { log_flux = "left" }
)toml",
                                     "runs/a/problem.toml");
  EXPECT_EQ(config.file, "runs/a/problem.toml");
  EXPECT_EQ(config.mesh.origin, "runs/a/problem.toml:2: mesh");
  const auto& mesh = std::get<RectangleMesh>(config.mesh.shape);
  EXPECT_EQ(mesh.cell_type, mesh::CellType::quadrilateral);
  EXPECT_EQ(mesh.cells, (std::array<Index, 2>{32, 16}));
  EXPECT_EQ(mesh.extent[0].to, 2);
  EXPECT_EQ(mesh.extent[1].from, -1);
  EXPECT_EQ(mesh.extent[1].to, 1.5);

  EXPECT_EQ(config.source.origin, "runs/a/problem.toml:8: equation.source");
  const auto& sources = std::get<std::map<std::string, FunctionConfig>>(config.source.value);
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(std::get<double>(sources.at("steel").value), 10);
  EXPECT_EQ(std::get<std::string>(sources.at("soft wood").value), "x*y");
  EXPECT_EQ(sources.at("soft wood").origin, "runs/a/problem.toml:8: equation.source.'soft wood'");

  ASSERT_EQ(config.boundaries.size(), 3u);
  EXPECT_EQ(config.boundaries[0].name, "right");
  EXPECT_EQ(config.boundaries[0].kind, BoundaryConfig::Kind::neumann);
  EXPECT_EQ(std::get<std::string>(config.boundaries[0].value.value), "sin(pi*y)");
  EXPECT_EQ(config.boundaries[0].value.origin, "runs/a/problem.toml:10: boundary.right.neumann");
  EXPECT_EQ(config.boundaries[1].name, "left");
  EXPECT_EQ(config.boundaries[1].kind, BoundaryConfig::Kind::dirichlet);
  EXPECT_EQ(std::get<double>(config.boundaries[1].value.value), 0.5);
  EXPECT_EQ(config.boundaries[2].name, "bottom");
  EXPECT_EQ(config.boundaries[2].origin, "runs/a/problem.toml:12: boundary.bottom");

  EXPECT_EQ(config.coefficient.per, CoefficientConfig::Per::block);
  EXPECT_EQ(config.coefficient.blocks, (std::vector<Index>{8, 4}));

  ASSERT_TRUE(config.observations);
  EXPECT_EQ(config.observations->data->path(), "runs/a/measurements.csv");
  EXPECT_EQ(config.observations->sensors->file->path(), "runs/sensors.csv");
  EXPECT_EQ(config.observations->sensors->origin, "runs/a/problem.toml:19: observations.sensors");
  EXPECT_EQ(config.observations->noise.sigma, 0.05);
  EXPECT_EQ(config.observations->replicates, 3);

  ASSERT_TRUE(config.prior);
  EXPECT_EQ(config.prior->origin, "runs/a/problem.toml:22: prior");
  const auto& prior = std::get<GaussianProcessConfig>(config.prior->value);
  EXPECT_EQ(prior.kernel, "periodic");
  EXPECT_EQ(prior.sigma, 2);
  EXPECT_EQ(prior.length_scale, (std::vector<double>{0.2, 0.4}));
  EXPECT_EQ(std::get<double>(prior.mean.value), -1);
  EXPECT_EQ(prior.jitter, 0);
  EXPECT_EQ(prior.period, 1.5);

  ASSERT_EQ(config.quantities.size(), 2u);
  EXPECT_EQ(config.quantities[0].name, "outflow");
  EXPECT_EQ(config.quantities[0].part, "right");
  EXPECT_EQ(config.quantities[0].kind, QuantityConfig::Kind::flux);
  EXPECT_EQ(config.quantities[1].name, "log_outflow");
  EXPECT_EQ(config.quantities[1].part, "left");
  EXPECT_EQ(config.quantities[1].kind, QuantityConfig::Kind::flux);
  EXPECT_TRUE(config.quantities[1].logarithm);
}

TEST(Config, ReadsLargeIntegersAsTheNearestNumber) {
  const auto source = [](const std::string& number) {
    const Config config = parse(interval + "[equation]\nsource = " + number + "\n");
    return std::get<double>(std::get<FunctionConfig>(config.source.value).value);
  };
  EXPECT_EQ(source("20000000000000000"), 2e16);
  EXPECT_EQ(source("-20000000000000000"), -2e16);
  EXPECT_EQ(source("9007199254740993"), 9007199254740992);  // 2^53 + 1, to even
  EXPECT_EQ(source("9223372036854775807"), 0x1p63);
  EXPECT_EQ(error_of(interval + "[equation]\nsource = 9223372036854775808\n").substr(0, 15), "problem.toml:5:");
}

TEST(Config, NeedsOnlyAMesh) {
  const Config config = parse(rectangle);
  EXPECT_EQ(std::get<RectangleMesh>(config.mesh.shape).cell_type, mesh::CellType::triangle);
  EXPECT_EQ(std::get<RectangleMesh>(config.mesh.shape).extent[1].to, 1);
  EXPECT_EQ(std::get<double>(std::get<FunctionConfig>(config.source.value).value), 0);
  EXPECT_EQ(config.source.origin, "problem.toml: equation.source");
  EXPECT_TRUE(config.boundaries.empty());
  EXPECT_EQ(config.coefficient.per, CoefficientConfig::Per::cell);
  EXPECT_FALSE(config.observations);
  EXPECT_FALSE(config.prior);
  EXPECT_TRUE(config.quantities.empty());
}

TEST(Config, ReadsEveryKindOfMesh) {
  const Config one = parse(interval + "extent = [-1, 2]\n");
  EXPECT_EQ(std::get<IntervalMesh>(one.mesh.shape).cells, 4);
  EXPECT_EQ(std::get<IntervalMesh>(one.mesh.shape).extent.from, -1);
  EXPECT_EQ(std::get<IntervalMesh>(parse("[mesh]\nkind=\"interval\"\ncells=[7]").mesh.shape).cells, 7);

  const Config three = parse("[mesh]\nkind = \"box\"\ncells = [2, 3, 4]\ncell_type = \"hexahedron\"\n");
  EXPECT_EQ(std::get<BoxMesh>(three.mesh.shape).cells, (std::array<Index, 3>{2, 3, 4}));
  EXPECT_EQ(std::get<BoxMesh>(three.mesh.shape).cell_type, mesh::CellType::hexahedron);

  const Config plate =
      parse("mesh = { kind = \"plate_with_hole\", radius = 0.25, cell_size = 0.1, hole_segments = 24 }");
  EXPECT_EQ(std::get<mesh::PlateWithHole>(plate.mesh.shape).radius, 0.25);
  EXPECT_EQ(std::get<mesh::PlateWithHole>(plate.mesh.shape).cell_size, 0.1);
  EXPECT_EQ(std::get<mesh::PlateWithHole>(plate.mesh.shape).hole_segments, 24);

  const Config gmsh = parse("[mesh]\nkind = \"gmsh\"\nfile = \"meshes/./plate.msh\"\n");
  EXPECT_EQ(std::get<GmshMesh>(gmsh.mesh.shape).file.path(), "meshes/plate.msh");
}

TEST(Config, KeepsAbsolutePathsAndReadsSensorsAtNodes) {
  const Config config = parse(interval + "[observations]\ndata = \"/data/a.csv\"\nsensors = \"nodes\"\n");
  EXPECT_EQ(config.observations->data->path(), "/data/a.csv");
  ASSERT_TRUE(config.observations->sensors);
  EXPECT_FALSE(config.observations->sensors->file);
}

TEST(Config, ReadsAnIndependentPrior) {
  const Config config = parse(interval + "[prior]\nkind = \"independent\"\nmean = 1\nsigma = 0.5\n");
  const auto& prior = std::get<IndependentPriorConfig>(config.prior->value);
  EXPECT_EQ(std::get<double>(prior.mean.value), 1);
  EXPECT_EQ(prior.mean.origin, "problem.toml:6: prior.mean");
  EXPECT_EQ(std::get<double>(prior.sigma.value), 0.5);
  const Config brief = parse(interval + "[prior]\nkind = \"independent\"\n");
  EXPECT_EQ(std::get<double>(std::get<IndependentPriorConfig>(brief.prior->value).mean.value), 0);
  EXPECT_EQ(std::get<double>(std::get<IndependentPriorConfig>(brief.prior->value).sigma.value), 1);
}

TEST(Config, ReadsAMeanAndASigmaForEachUnknownFromAListOrAFile) {
  const Config config = parse_config(
      interval + "[prior]\nkind = \"independent\"\nmean = [1, -2.5, 3, 4]\nsigma = \"../sigma.csv\"\n", "a/b/p.toml");
  const auto& prior = std::get<IndependentPriorConfig>(config.prior->value);
  EXPECT_EQ(std::get<std::vector<double>>(prior.mean.value), (std::vector<double>{1, -2.5, 3, 4}));
  EXPECT_EQ(std::get<InputFile>(prior.sigma.value).path(), "a/sigma.csv");
}

TEST(Config, ReadsAnSpdePrior) {
  const Config config = parse(interval + "[prior]\nkind = \"spde\"\nsigma = 0.5\nrange = 0.2\norder = 3\nmean = -1\n");
  const auto& prior = std::get<SpdePriorConfig>(config.prior->value);
  EXPECT_EQ(prior.sigma, 0.5);
  EXPECT_EQ(prior.range, 0.2);
  EXPECT_EQ(prior.order, 3);
  EXPECT_EQ(std::get<double>(prior.mean.value), -1);
  const Config brief = parse(interval + "[prior]\nkind = \"spde\"\nrange = 1\n");
  EXPECT_EQ(std::get<SpdePriorConfig>(brief.prior->value).sigma, 1);
  EXPECT_EQ(std::get<SpdePriorConfig>(brief.prior->value).order, 2);
  EXPECT_EQ(std::get<double>(std::get<SpdePriorConfig>(brief.prior->value).mean.value), 0);
}

TEST(Config, ReadsTheAnisotropyAndTheBarriersOfAnSpdePrior) {
  const std::string spde = interval + "[prior]\nkind = \"spde\"\nrange = 1\n";
  const auto read = [&](const std::string& text) { return std::get<SpdePriorConfig>(parse(spde + text).prior->value); };
  const SpdePriorConfig everywhere = read("anisotropy = { ratio = 3, angle = -30 }\nbarriers = [\"wall\", \"dam\"]");
  ASSERT_EQ(everywhere.anisotropy.size(), 1u);
  EXPECT_EQ(everywhere.anisotropy[0].region, "");
  EXPECT_EQ(everywhere.anisotropy[0].ratio, 3);
  EXPECT_EQ(everywhere.anisotropy[0].angle, -30);
  EXPECT_FALSE(everywhere.anisotropy[0].direction);
  ASSERT_EQ(everywhere.barriers.size(), 2u);
  EXPECT_EQ(everywhere.barriers[1].region, "dam");
  const SpdePriorConfig by_region =
      read("[prior.anisotropy.sand]\nratio = 2\ndirection = [1, 0, 2]\n[prior.anisotropy.ratio]\nratio = 4\n");
  ASSERT_EQ(by_region.anisotropy.size(), 2u);
  EXPECT_EQ(by_region.anisotropy[0].region, "sand");
  EXPECT_EQ(by_region.anisotropy[0].direction, (std::array<double, 3>{1, 0, 2}));
  EXPECT_EQ(by_region.anisotropy[1].region, "ratio");
  EXPECT_EQ(error_of(spde + "anisotropy = { angle = 30 }"), "problem.toml:7: prior.anisotropy: missing key 'ratio'");
  EXPECT_EQ(error_of(spde + "anisotropy = { sand = 3 }"),
            "problem.toml:7: prior.anisotropy.sand: expected a table with the ratio and the axis of a region's "
            "anisotropy, found an integer");
  EXPECT_EQ(error_of(spde + "anisotropy = 3"), "problem.toml:7: prior.anisotropy: expected a table, found an integer");
  EXPECT_EQ(error_of(spde + "anisotropy = { ratio = 0 }"),
            "problem.toml:7: prior.anisotropy.ratio: expected a number greater than 0, found 0");
  EXPECT_EQ(error_of(spde + "barriers = []"), "problem.toml:7: prior.barriers: expected 1 to 1000 entries, found 0");
}

void expect_mixture(const std::string& text) {
  const Config config = parse(interval + text);
  const auto& components = std::get<MixturePriorConfig>(config.prior->value).components;
  ASSERT_EQ(components.size(), 2u);
  EXPECT_EQ(components[0].weight, 3);
  EXPECT_EQ(std::get<std::vector<double>>(components[0].normal.mean.value), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(std::get<double>(components[0].normal.sigma.value), 1);
  EXPECT_EQ(components[1].weight, 1);
  EXPECT_EQ(std::get<double>(components[1].normal.mean.value), 0);
}

TEST(Config, ReadsAMixtureInBothWaysToWriteIt) {
  expect_mixture("[prior]\nkind = \"mixture\"\ncomponents = [{ weight = 3, mean = [1, 2, 3, 4] }, {}]\n");
  expect_mixture(
      "[prior]\nkind = \"mixture\"\n[[prior.components]]\nweight = 3\nmean = [1, 2, 3, 4]\n[[prior.components]]\n");
}

TEST(Config, ReadsAFieldOnNodes) {
  EXPECT_EQ(parse(rectangle + "[coefficient]\nper = \"node\"").coefficient.per, CoefficientConfig::Per::node);
}

TEST(Config, LeavesTheDimensionOfAGmshFileOpen) {
  const std::string gmsh = "[mesh]\nkind = \"gmsh\"\nfile = \"a.msh\"\n[coefficient]\nper = \"block\"\nblocks = ";
  EXPECT_EQ(parse(gmsh + "[2, 2, 2]").coefficient.blocks.size(), 3u);
  EXPECT_EQ(parse(gmsh + "5").coefficient.blocks, std::vector<Index>{5});
  EXPECT_EQ(error_of(gmsh + "[]"), "problem.toml:6: coefficient.blocks: expected 1 to 3 entries, found 0");
}

TEST(Config, SuggestsTheNearestKey) {
  expect_errors({
      {"[mesh]\nkind = \"rectangle\"\ncels = [4, 4]\n",
       "problem.toml:3: mesh.cels: unknown key; did you mean 'cells'?"},
      {rectangle + "radius = 1\n",
       "problem.toml:4: mesh.radius: unknown key; the keys here are 'kind', 'cells', 'cell_type', 'extent'"},
      {rectangle + "[boundry]\n", "problem.toml:4: boundry: unknown key; did you mean 'boundary'?"},
      {rectangle + "[output]\n",
       "problem.toml:4: output: unknown key; the keys here are 'mesh', 'equation', 'sources', 'boundary', "
       "'coefficient', 'unknowns', "
       "'observations', 'measurements', 'prior', 'quantities', 'truth', 'method', 'labels'"},
      {rectangle + "[boundary]\nleft = { dirichet = 0 }\n",
       "problem.toml:5: boundary.left.dirichet: unknown key; did you mean 'dirichlet'?"},
      {rectangle + "[prior]\nkind = \"independent\"\nlength_scale = 1\n",
       "problem.toml:6: prior.length_scale: unknown key; the keys here are 'kind', 'mean', 'sigma'"},
      {rectangle + "[prior]\nkind = \"spde\"\nrnage = 1\n",
       "problem.toml:6: prior.rnage: unknown key; did you mean 'range'?"},
      {rectangle + "[prior]\nkind = \"mixture\"\ncomponents = [{ wieght = 1 }]\n",
       "problem.toml:6: prior.components[0].wieght: unknown key; did you mean 'weight'?"},
      {rectangle + "[observations]\nsigmas = 1\ndate = \"a\"\n",
       "problem.toml:5: observations.sigmas: unknown key; did you mean 'sigma'?"},
  });
}

TEST(Config, NamesWhatIsMissing) {
  expect_errors({
      {"", "problem.toml: missing table [mesh]"},
      {"[mesh]\n", "problem.toml:1: mesh: missing key 'kind'"},
      {"[mesh]\nkind = \"box\"\n", "problem.toml:1: mesh: missing key 'cells'"},
      {"[mesh]\nkind = \"gmsh\"\n", "problem.toml:1: mesh: missing key 'file'"},
      {rectangle + "[coefficient]\nper = \"block\"\n", "problem.toml:4: coefficient: missing key 'blocks'"},
      {rectangle + "[prior]\nsigma = 1\n", "problem.toml:4: prior: missing key 'kind'"},
      {rectangle + "[prior]\nkind = \"gaussian_process\"\n", "problem.toml:4: prior: missing key 'length_scale'"},
      {rectangle + "[prior]\nkind = \"gaussian_process\"\nkernel = \"periodic\"\nlength_scale = 1\n",
       "problem.toml:4: prior: missing key 'period'"},
      {rectangle + "[prior]\nkind = \"spde\"\n", "problem.toml:4: prior: missing key 'range'"},
      {rectangle + "[prior]\nkind = \"mixture\"\n", "problem.toml:4: prior: missing key 'components'"},
      {rectangle + "[boundary]\nleft = {}\n",
       "problem.toml:5: boundary.left: expected one of 'dirichlet', 'neumann' and 'robin', found none"},
      {rectangle + "[equation]\nsource = {}\n", "problem.toml:5: equation.source: expected at least one region"},
  });
}

TEST(Config, SaysWhichTypeWasExpected) {
  expect_errors({
      {"mesh = 3", "problem.toml:1: mesh: expected a table, found an integer"},
      {"[[mesh]]\nkind = \"box\"", "problem.toml:1: mesh: expected a table, found an array"},
      {"[mesh]\nkind = 1", "problem.toml:2: mesh.kind: expected a string, found an integer"},
      {"[mesh]\nkind = \"rectangle\"\ncells = 4", "problem.toml:3: mesh.cells: expected an array, found an integer"},
      {"[mesh]\nkind = \"rectangle\"\ncells = [4,\n 4.5]",
       "problem.toml:4: mesh.cells[1]: expected an integer, found a number with a fraction"},
      {rectangle + "extent = [[0, 1], [0, \"1\"]]",
       "problem.toml:4: mesh.extent[1][1]: expected a number, found a string"},
      {rectangle + "[boundary]\nleft.dirichlet = true",
       "problem.toml:5: boundary.left.dirichlet: expected a number, an expression or a table with a file, found a "
       "boolean"},
      {rectangle + "[boundary]\nleft = 0", "problem.toml:5: boundary.left: expected a table, found an integer"},
      {rectangle + "[equation]\nsource = 2026-01-31",
       "problem.toml:5: equation.source: expected a number, an expression, or a table with one of these for each "
       "region, found a date"},
      {rectangle + "[prior]\nkind = \"gaussian_process\"\nlength_scale = \"1\"",
       "problem.toml:6: prior.length_scale: expected a number or an array, found a string"},
      {rectangle + "[prior]\nkind = \"independent\"\nmean = true",
       "problem.toml:6: prior.mean: expected a number, an array, a file name or a table with a file, found a boolean"},
      {rectangle + "[prior]\nkind = \"independent\"\nsigma = [1, \"2\"]",
       "problem.toml:6: prior.sigma[1]: expected a number, found a string"},
      {rectangle + "[prior]\nkind = \"spde\"\nrange = 1\norder = 2.0",
       "problem.toml:7: prior.order: expected an integer, found a number with a fraction"},
      {rectangle + "[prior]\nkind = \"mixture\"\ncomponents = [1]",
       "problem.toml:6: prior.components[0]: expected a table, found an integer"},
      {rectangle + "[observations]\nreplicates = 1.0",
       "problem.toml:5: observations.replicates: expected an integer, found a number with a fraction"},
      {rectangle + "[quantities]\na = { flux = 1 }",
       "problem.toml:5: quantities.a.flux: expected a string, found an integer"},
  });
}

TEST(Config, SaysWhichValueWasExpected) {
  const std::string process = rectangle + "[prior]\nkind = \"gaussian_process\"\n";
  expect_errors({
      {"[mesh]\nkind = \"boxx\"",
       "problem.toml:2: mesh.kind: expected one of 'interval', 'rectangle', 'box', 'plate_with_hole', 'gmsh', found "
       "'boxx'; did you mean 'box'?"},
      {rectangle + "cell_type = \"tetrahedron\"",
       "problem.toml:4: mesh.cell_type: expected one of 'triangle', 'quadrilateral', found 'tetrahedron'"},
      {"[mesh]\nkind = \"rectangle\"\ncells = [4]", "problem.toml:3: mesh.cells: expected 2 entries, found 1"},
      {"[mesh]\nkind = \"rectangle\"\ncells = [4, 0]",
       "problem.toml:3: mesh.cells[1]: expected an integer from 1 to 50000000, found 0"},
      {"[mesh]\nkind = \"interval\"\ncells = 9223372036854775807",
       "problem.toml:3: mesh.cells: expected an integer from 1 to 50000000, found 9223372036854775807"},
      {"[mesh]\nkind = \"box\"\ncells = [50000000, 50000000, 50000000]",
       "problem.toml:3: mesh.cells: expected at most 50000000 in product, found more"},
      {interval + "extent = [1, 1]",
       "problem.toml:4: mesh.extent: expected the first number to be less than the second, found [1, 1]"},
      {interval + "extent = [0, inf]", "problem.toml:4: mesh.extent[1]: expected a finite number, found inf"},
      {"[mesh]\nkind = \"plate_with_hole\"\nradius = 0.5",
       "problem.toml:3: mesh.radius: expected less than 0.5, so that the hole fits the unit square, found 0.5"},
      {"[mesh]\nkind = \"plate_with_hole\"\ncell_size = 1e-5",
       "problem.toml:3: mesh.cell_size: expected a number from 0.0002 to 1, found 1e-05"},
      {"[mesh]\nkind = \"plate_with_hole\"\nhole_segments = 2",
       "problem.toml:3: mesh.hole_segments: expected an integer from 3 to 1000000, found 2"},
      {"[mesh]\nkind = \"gmsh\"\nfile = \"\"", "problem.toml:3: mesh.file: expected a string that is not empty"},
      {"[mesh]\nkind = \"gmsh\"\nfile = \"a\\u0000b\"",
       "problem.toml:3: mesh.file: expected text, found a null character"},
      {"[mesh]\nkind = \"gmsh\"\nfile = \"" + std::string(10'001, 'a') + "\"",
       "problem.toml:3: mesh.file: expected at most 10000 characters, found 10001"},
      {rectangle + "[boundary]\nleft = { dirichlet = 0, neumann = 0 }",
       "problem.toml:5: boundary.left: expected one of 'dirichlet', 'neumann' and 'robin', found several"},
      {rectangle + "[boundary]\nleft = { dirichlet = nan }",
       "problem.toml:5: boundary.left.dirichlet: expected a finite number, found nan"},
      {rectangle + "[boundary]\nleft = { neumann = \"sin(y\" }",
       "problem.toml:5: boundary.left.neumann: bad expression 'sin(y': missing parenthesis at character 6"},
      {rectangle + "[coefficient]\nblocks = [2, 2]",
       "problem.toml:5: coefficient.blocks: allowed only with per = \"block\""},
      {rectangle + "[coefficient]\nper = \"node\"\nblocks = [2, 2]",
       "problem.toml:6: coefficient.blocks: allowed only with per = \"block\""},
      {rectangle + "[coefficient]\nper = \"nodes\"",
       "problem.toml:5: coefficient.per: expected one of 'cell', 'node', 'block', 'region', found 'nodes'; did you "
       "mean "
       "'node'?"},
      {rectangle + "[coefficient]\nper = \"block\"\nblocks = [2, 2, 2]",
       "problem.toml:6: coefficient.blocks: expected 2 entries, found 3"},
      {rectangle + "[observations]\nsigma = 0",
       "problem.toml:5: observations.sigma: expected a number greater than 0, found 0"},
      {rectangle + "[observations]\nreplicates = 1000000001",
       "problem.toml:5: observations.replicates: expected an integer from 1 to 1000000000, found 1000000001"},
      {rectangle + "[prior]\nkind = \"sdpe\"",
       "problem.toml:5: prior.kind: expected one of 'gaussian_process', 'spde', 'independent', 'mixture', found "
       "'sdpe'; "
       "did you mean 'spde'?"},
      {rectangle + "[prior]\nkind = \"independent\"\nsigma = [1, 0]",
       "problem.toml:6: prior.sigma[1]: expected a number greater than 0, found 0"},
      {rectangle + "[prior]\nkind = \"spde\"\nrange = -1",
       "problem.toml:6: prior.range: expected a number greater than 0, found -1"},
      {rectangle + "[prior]\nkind = \"spde\"\nrange = 1\norder = 5",
       "problem.toml:7: prior.order: expected an integer from 1 to 4, found 5"},
      {rectangle + "[prior]\nkind = \"mixture\"\ncomponents = []",
       "problem.toml:6: prior.components: expected 1 to 1000 entries, found 0"},
      {rectangle + "[prior]\nkind = \"mixture\"\ncomponents = [{ weight = 0 }]",
       "problem.toml:6: prior.components[0].weight: expected a number greater than 0, found 0"},
      {process + "length_scale = 0", "problem.toml:6: prior.length_scale: expected a number greater than 0, found 0"},
      {process + "length_scale = [1, 2, 3]", "problem.toml:6: prior.length_scale: expected 2 entries, found 3"},
      {process + "length_scale = 1\njitter = -1e-6",
       "problem.toml:7: prior.jitter: expected a number of at least 0, found -1e-06"},
      {process + "length_scale = 1\nperiod = 1",
       "problem.toml:7: prior.period: allowed only with kernel = \"periodic\""},
      {process + "length_scale = 1\nkernel = \"matern42\"",
       "problem.toml:7: prior.kernel: expected one of 'squared_exponential', 'matern12', 'matern32', 'matern52', "
       "'periodic', found 'matern42'; did you mean 'matern12'?"},
  });
}

TEST(Config, GivesTheLineOfASyntaxError) {
  expect_errors({
      {"[mesh]\nkind = box\n", "problem.toml:2: Error while parsing value: could not determine value type"},
      {"[mesh]\n[mesh]\n", "problem.toml:2: Error while parsing table header: cannot redefine existing table 'mesh'"},
      {"a = 1\n [[ , ]]\n", "problem.toml:2: expected a table name after '['"},
      {"a = 1\nb = [1, } 2]\n", "problem.toml:2: unexpected '}'"},
      {"a = 1\nb = 2026-01-31 1\n", "problem.toml:2: unexpected digit after a space"},
      {"a = 1\nb = 1'\xC3\xA9'\n",
       "problem.toml:2: expected only ASCII characters in a string with no space before it"},
      {"\nm\xC3\xA9sh = 1\n", "problem.toml:2: expected only ASCII characters outside strings and comments"},
      {"a = \"\"\"\n\xC3\xA9\"\"\"", "problem.toml:1: expected only ASCII characters in a multi-line string"},
  });
}

TEST(Config, RefusesDeepNesting) {
  const std::string message = "expected at most 16 levels of nesting, found more";
  std::string dotted = "a";
  for (int i = 0; i < 1'000'000; ++i) dotted += ".a";
  EXPECT_EQ(error_of("\n[" + dotted + "]\n"), "problem.toml:2: " + message);
  EXPECT_EQ(error_of(dotted + " = 1\n"), "problem.toml:1: " + message);
  EXPECT_EQ(error_of("a = " + std::string(1'000'000, '[')), "problem.toml:1: " + message);
  EXPECT_EQ(error_of("a = '''\n'''\n#[[\nb = " + std::string(17, '{')), "problem.toml:4: " + message);
}

TEST(Config, DotsAndBracketsInStringsAndCommentsAreNotNesting) {
  const std::string dots(100, '.');
  EXPECT_EQ(error_of("# " + dots + "[[[[[[[[[[[[[[[[[[[[\n" + interval), "no error");
  EXPECT_EQ(error_of("[mesh]\nkind = \"gmsh\"\nfile = \"\\\"" + dots + "\"\n"), "no error");
  EXPECT_EQ(error_of("[mesh]\nkind = \"gmsh\"\nfile = '''" + dots + "'a'''\n"), "no error");
}

TEST(Config, ReadsNamesBeyondAsciiAndAByteOrderMark) {
  const Config config = parse("\xEF\xBB\xBF# \xC3\xA9\n" + interval + "[boundary]\n\"\xC3\xA9\" = { dirichlet = 0 }\n");
  EXPECT_EQ(config.boundaries.at(0).name, "\xC3\xA9");
  EXPECT_EQ(config.boundaries.at(0).origin, "problem.toml:6: boundary.'\xC3\xA9'");
}

TEST(Config, RefusesAFileThatIsNotThere) { EXPECT_THROW(read_config("no_such_file.toml"), InputError); }

}  // namespace
}  // namespace varimesh::run
