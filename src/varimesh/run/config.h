#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "varimesh/mesh/generate.h"
#include "varimesh/result/problem_record.h"
#include "varimesh/run/formula.h"
#include "varimesh/run/input_file.h"
#include "varimesh/run/method_config.h"
#include "varimesh/run/noise_config.h"
#include "varimesh/run/observable_config.h"
#include "varimesh/run/origin.h"
#include "varimesh/run/override.h"
#include "varimesh/run/unknown_config.h"
#include "varimesh/types.h"

namespace varimesh::run {

/// A function of position that a file has (see field_file.h).
struct FileFunctionConfig {
  InputFile file;
  std::string column = "value";  ///< of a CSV file
  bool logarithm = false;        ///< the file has exp of what is meant
};

/// A number or an expression of x, y, z, as written, or a file.
struct FunctionConfig {
  Origin origin;
  std::variant<double, std::string, FileFunctionConfig> value = 0.0;
  std::optional<Formula> formula = std::nullopt;  ///< of an expression that has unknowns in it
};

struct IntervalMesh {
  Index cells = 0;
  mesh::Interval extent;
};
struct RectangleMesh {
  mesh::CellType cell_type = mesh::CellType::triangle;
  std::array<Index, 2> cells{};
  std::array<mesh::Interval, 2> extent;
};
struct BoxMesh {
  mesh::CellType cell_type = mesh::CellType::tetrahedron;
  std::array<Index, 3> cells{};
  std::array<mesh::Interval, 3> extent;
};
struct GmshMesh {
  Origin origin;                  ///< of the key `file`
  InputFile file;                 ///< relative paths in a problem file are relative to that file; resolved here
  std::vector<InputFile> coarse;  ///< coarser meshes of the same domain, the coarsest first
  bool corners_only = false;      ///< second-order elements are read as first-order ones
};
struct MeshConfig {
  Origin origin;
  std::variant<IntervalMesh, RectangleMesh, BoxMesh, mesh::PlateWithHole, GmshMesh> shape;
};

/// f: one function everywhere, or one for each region.
struct SourceConfig {
  Origin origin;
  std::variant<FunctionConfig, std::map<std::string, FunctionConfig>> value = FunctionConfig{};
};

/// A named term that is added to f: a density, on a region or everywhere, or a total rate, spread evenly over a region
/// or everywhere, or at a point.
struct SourceTermConfig {
  Origin origin;
  std::string name;
  std::string region;  ///< empty: everywhere
  std::optional<std::vector<double>> point;
  std::optional<FunctionConfig> total;  ///< a number, or an expression of unknowns
  FunctionConfig density;               ///< unless there is a total
};

struct BoundaryConfig {
  Origin origin;
  std::string name;
  enum class Kind { dirichlet, neumann, robin } kind = Kind::dirichlet;
  FunctionConfig value;        ///< of a Robin condition: around
  FunctionConfig coefficient;  ///< of a Robin condition
};

/// A region whose conductivity is known.
struct KnownConfig {
  std::string region;
  FunctionConfig conductivity;
};

/// How much further, or better, along an axis than across it.
struct AnisotropyConfig {
  Origin origin;
  std::string region;  ///< empty: everywhere
  double ratio = 1;
  std::optional<double> angle;                     ///< in degrees, in the plane
  std::optional<std::array<double, 3>> direction;  ///< in space
};

/// D of a conductivity exp(kappa) D: by its axis, or by its rows.
struct TensorConfig {
  Origin origin;
  std::string region;  ///< empty: everywhere
  std::variant<AnisotropyConfig, std::vector<std::vector<double>>> value;
};

/// What has an unknown: cells, alone or together, or nodes.
struct CoefficientConfig {
  Origin origin;
  enum class Per { cell, node, block, region } per = Per::cell;
  std::vector<Index> blocks;       ///< per block: the number of blocks along each axis of the bounding box
  std::vector<KnownConfig> known;  ///< regions without unknowns
  std::vector<TensorConfig> tensors = {};
};

/// Where `simulate` measures: at every node, or at the positions in a file.
struct SensorsConfig {
  Origin origin;
  std::optional<InputFile> file;  ///< absent: every node
};

struct ObservationConfig {
  Origin origin;
  Origin data_origin;
  std::optional<InputFile> data;         ///< measurements
  std::optional<SensorsConfig> sensors;  ///< absent: the positions in `data`
  NoiseConfig noise;
  std::optional<Index> replicates;  ///< measurements at each sensor; absent: as many as the file has rows for it
  std::optional<InputFile> named;   ///< values of named measurements that have none of their own
  Origin named_origin;
  std::optional<double> snap;  ///< how far outside the mesh sensors may be; absent: as far as a curved side needs
};

/// One number for every unknown, one for each, a CSV file with one row for each, or a file with a function of position.
struct FieldConfig {
  Origin origin;
  std::variant<double, std::vector<double>, InputFile, FileFunctionConfig> value;
};
struct GaussianProcessConfig {
  std::string kernel = "matern32";
  double sigma = 1, jitter = 1e-6;
  FieldConfig mean{{}, 0.0};
  std::vector<double> length_scale;  ///< one, or one for each axis
  std::optional<double> period;
};
struct IndependentPriorConfig {
  FieldConfig mean{{}, 0.0}, sigma{{}, 1.0};
};
struct SpdePriorConfig {
  struct Barrier {
    Origin origin;
    std::string region;
  };
  double sigma = 1, range = 0;
  FieldConfig mean{{}, 0.0};
  Index order = 2;
  std::vector<AnisotropyConfig> anisotropy;
  std::vector<Barrier> barriers;
};
struct MixturePriorConfig {
  struct Component {
    double weight = 1;
    IndependentPriorConfig normal;
  };
  std::vector<Component> components;
};
struct PriorConfig {
  Origin origin;
  std::variant<GaussianProcessConfig, IndependentPriorConfig, SpdePriorConfig, MixturePriorConfig> value;
};

/// An unknown source: a field of its own, with a prior of its own, that is added to f.
struct SourceFieldConfig {
  Origin origin;
  std::string name, unit;
  CoefficientConfig support;
  PriorConfig prior;
};

/// A problem file, checked for unknown keys, types and ranges, with files resolved but not yet opened.
struct Config {
  std::filesystem::path file;
  MeshConfig mesh;
  SourceConfig source;
  std::optional<SourceConfig> reaction;
  std::vector<SourceTermConfig> source_terms;
  std::vector<BoundaryConfig> boundaries;  ///< in the order of the file
  CoefficientConfig coefficient;
  std::vector<SourceFieldConfig> source_fields;
  std::vector<UnknownConfig> unknowns;  ///< scalars, besides the coefficient and fields
  std::optional<ObservationConfig> observations;
  std::optional<PriorConfig> prior;
  std::vector<QuantityConfig> quantities;
  std::vector<MeasurementConfig> measurements;
  std::optional<FieldConfig> truth;          ///< kappa, of made-up data
  std::vector<FieldConfig> truth_of_fields;  ///< beside it, of each of the source fields
  std::vector<double> truth_of_scalars;      ///< and of each of the unknowns
  MethodConfig method;
  result::Labels labels;
  std::vector<InputFile> files;  ///< all that it names
  std::uint64_t digest = 0;      ///< of all that results depend on, in this file

  /// Of readings at points; independent and normal where the file has no [observations].
  NoiseConfig noise() const { return observations ? observations->noise : NoiseConfig{}; }
  /// Measurements of each sensor, if the file says.
  std::optional<Index> replicates() const { return observations ? observations->replicates : std::nullopt; }
};

/// Reads a problem file, with overrides taking precedence. Every fault is an InputError "file:line: key:
/// ..." with the nearest valid key suggested.
Config read_config(const std::filesystem::path& file, const std::vector<Override>& overrides = {});
/// The text with overrides put in, as a problem file that says the same.
std::string override_text(std::string_view text, const std::filesystem::path& file,
                          const std::vector<Override>& overrides);
/// Reads text as if it stood in that file, against whose directory relative paths are resolved.
Config parse_config(std::string_view text, const std::filesystem::path& file,
                    const std::vector<Override>& overrides = {});

}  // namespace varimesh::run
