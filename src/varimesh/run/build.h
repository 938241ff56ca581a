#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "varimesh/fem/elliptic_problem.h"
#include "varimesh/fem/extreme.h"
#include "varimesh/fem/observable.h"
#include "varimesh/inverse/elliptic_model.h"
#include "varimesh/inverse/observations.h"
#include "varimesh/inverse/prior.h"
#include "varimesh/run/build_noise.h"
#include "varimesh/run/config.h"
#include "varimesh/run/sensor_data.h"

namespace varimesh::run {

/// A scalar prediction.
struct Quantity {
  std::string name;
  std::variant<fem::Observable, fem::Extreme> observable;

  /// NaN for the logarithm of a flux that is not positive.
  double value(const fem::EllipticSolution& solution) const;
  /// The value, and its derivative with respect to kappa.
  double value_and_gradient(const fem::EllipticSolution& solution, Vector& gradient) const;
};

/// A field of unknowns besides the coefficient.
struct NamedField {
  std::string name;
  fem::CoefficientMap map;
};

/// The equation of a problem on a mesh.
struct Equation {
  mesh::Mesh mesh;
  fem::CoefficientMap coefficients;
  std::vector<fem::BoundaryCondition> conditions;
  fem::Inputs inputs;              ///< what it has of unknowns besides the coefficient's
  std::vector<NamedField> fields;  ///< of unknowns behind the coefficient's and before scalars
  std::shared_ptr<const fem::EllipticProblem> problem;
};

/// A term of f without unknowns by its name, and its total over the mesh.
struct NamedSource {
  std::string name;
  std::variant<fem::SourceTerm, fem::PointSource> term;
  double total = 0;
};
/// Whether unknowns are in a term of f.
bool has_unknowns(const SourceTermConfig& config);
NamedSource build_source_term(const SourceTermConfig& config, const mesh::Mesh& mesh);

/// Everything a problem file describes, ready to evaluate.
struct Problem {
  Equation equation;
  std::optional<Sensors> sensors;
  std::shared_ptr<const inverse::EllipticModel> model;  ///< null without sensors
  std::optional<NoiseModel> noise;                      ///< of the sensors' measurements, if the file says
  std::optional<inverse::Observations> observations;    ///< none before there are data
  std::vector<Quantity> quantities;

  Index num_unknowns() const { return equation.problem->num_unknowns(); }
  /// Those of the coefficient, which come first.
  Index num_field_unknowns() const { return equation.coefficients.num_coefficients; }
};

/// Whether the data file must be there, is read if it is there, or is not read (except for positions, if nothing else
/// has them): to evaluate, to check, and to simulate.
enum class Data { required, if_present, ignored };

/// Reads the mesh and the data and sets up the equation and the sensors. InputErrors name the setting at fault.
Problem build_problem(const Config& config, Data data);

/// The prior of a problem's unknowns, null if the file has none. Apart, because a dense one costs more than all the
/// rest.
std::shared_ptr<const inverse::Prior> build_prior(const Config& config, const Problem& problem);

/// The quantities that a file asks for, of an equation: the problem's own, or a refined one.
std::vector<Quantity> build_quantities(const Config& config, const Equation& equation);

/// The mesh that a file describes.
mesh::Mesh build_mesh(const MeshConfig& config);

/// The equation on a mesh of its domain: the file's own, or another.
Equation build_equation(const Config& config, mesh::Mesh mesh);

/// The same equation on the mesh refined so many times; every cell keeps its parent's unknown, and a field on nodes is
/// interpolated.
Equation build_refined_equation(const Config& config, const Equation& coarse, int refinements);

/// All unknowns, with those of the coefficient given: others have the values of [truth], else their prior's mean or
/// median, or that of the heaviest component of a mixture.
Vector complete(const Config& config, const Problem& problem, const Vector& kappa);

/// The problem with the support and the prior of a source field in place of the coefficient's, for its prior.
struct FieldProblem {
  Config config;
  Problem problem;
};
FieldProblem field_problem(const Config& config, const Problem& problem, std::size_t field);

/// kappa from a number (a constant field) or from a CSV file with a column `kappa`, or `theta` = exp(kappa), one row
/// for each unknown.
Vector read_kappa(const std::string& number_or_file, Index num_unknowns);

}  // namespace varimesh::run
