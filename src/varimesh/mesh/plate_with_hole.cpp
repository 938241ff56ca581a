#include <dlfcn.h>
#include <fmt/format.h>
#include <gmshc.h>

#include <array>
#include <clocale>
#include <cmath>
#include <mutex>
#include <numbers>
#include <span>
#include <type_traits>
#include <unordered_map>

#include "varimesh/error.h"
#include "varimesh/mesh/generate.h"

namespace varimesh::mesh {
namespace {

constexpr double max_plate_cells = 5e6;

/// Gmsh's C functions. The library is loaded when a plate is asked for, not linked: with it come 91 shared libraries,
/// which cost 0.15 s at each start of the program.
class GmshLibrary {
 public:
  static const GmshLibrary& instance() {
    static const GmshLibrary library;
    return library;
  }

 private:
  template <class Function>
  Function symbol(const char* name) const {
    void* address = dlsym(handle_, name);
    if (!address) throw InputError(fmt::format("the Gmsh library {} has no function {}", VARIMESH_GMSH_LIBRARY, name));
    return reinterpret_cast<Function>(address);
  }
  static void* open() {
    void* handle = dlopen(VARIMESH_GMSH_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      throw InputError(fmt::format("cannot load the Gmsh library that makes the plate with a hole: {}", dlerror()));
    return handle;
  }
  void* handle_ = open();

 public:
// NOLINTBEGIN(bugprone-macro-parentheses,readability-identifier-naming): the names of Gmsh
#define VARIMESH_GMSH_FUNCTION(name) decltype(&::gmsh##name) name = symbol<decltype(&::gmsh##name)>("gmsh" #name)
  VARIMESH_GMSH_FUNCTION(Initialize);
  VARIMESH_GMSH_FUNCTION(Finalize);
  VARIMESH_GMSH_FUNCTION(Free);
  VARIMESH_GMSH_FUNCTION(OptionSetNumber);
  VARIMESH_GMSH_FUNCTION(ModelAdd);
  VARIMESH_GMSH_FUNCTION(ModelGeoAddPoint);
  VARIMESH_GMSH_FUNCTION(ModelGeoAddLine);
  VARIMESH_GMSH_FUNCTION(ModelGeoAddCurveLoop);
  VARIMESH_GMSH_FUNCTION(ModelGeoAddPlaneSurface);
  VARIMESH_GMSH_FUNCTION(ModelGeoMeshSetTransfiniteCurve);
  VARIMESH_GMSH_FUNCTION(ModelGeoSynchronize);
  VARIMESH_GMSH_FUNCTION(ModelMeshGenerate);
  VARIMESH_GMSH_FUNCTION(ModelMeshGetNodes);
  VARIMESH_GMSH_FUNCTION(ModelMeshGetElementsByType);
// NOLINTEND(bugprone-macro-parentheses,readability-identifier-naming)
#undef VARIMESH_GMSH_FUNCTION
};

/// An initialised Gmsh with one model, silent and on one thread; one at a time, since Gmsh's state is global.
class GmshSession {
 public:
  GmshSession() : locale_(std::setlocale(LC_ALL, nullptr)) {
    run(gmsh_.Initialize, 0, nullptr, 0);
    run(gmsh_.OptionSetNumber, "General.Terminal", 0);
    run(gmsh_.OptionSetNumber, "General.NumThreads", 1);
    run(gmsh_.ModelAdd, "plate");
  }
  ~GmshSession() {
    int error = 0;
    gmsh_.Finalize(&error);
    std::setlocale(LC_ALL, locale_.c_str());  // Initialize takes it from the environment
  }
  GmshSession(const GmshSession&) = delete;
  GmshSession& operator=(const GmshSession&) = delete;

  const GmshLibrary* operator->() const { return &gmsh_; }

  /// Calls a function of Gmsh whose last argument is the error code.
  template <class Result, class... Parameters, class... Arguments>
  Result run(Result (*function)(Parameters...), Arguments... arguments) const {
    int error = 0;
    if constexpr (std::is_void_v<Result>) {
      function(arguments..., &error);
      check(error);
    } else {
      const Result result = function(arguments..., &error);
      check(error);
      return result;
    }
  }

 private:
  static void check(int error) {
    if (error != 0) throw InputError("the Gmsh library could not mesh the plate with this hole and cell size");
  }

  std::lock_guard<std::mutex> lock_{mutex_};
  const GmshLibrary& gmsh_ = GmshLibrary::instance();
  std::string locale_;
  static std::mutex mutex_;
};
std::mutex GmshSession::mutex_;

/// An array that Gmsh allocated.
template <class T>
struct GmshArray {
  explicit GmshArray(const GmshSession& gmsh) : session(gmsh) {}
  ~GmshArray() { session->Free(data); }
  GmshArray(const GmshArray&) = delete;
  GmshArray& operator=(const GmshArray&) = delete;
  std::span<const T> view() const { return {data, size}; }

  const GmshSession& session;
  T* data = nullptr;
  std::size_t size = 0;
};

/// A closed polygon through the points, each edge split into `segments`; returns the tags of its edges.
std::vector<int> add_polygon(const GmshSession& gmsh, std::span<const Point> corners, Index segments) {
  std::vector<int> points, lines;
  for (const Point& p : corners) points.push_back(gmsh.run(gmsh->ModelGeoAddPoint, p.x(), p.y(), p.z(), 0., -1));
  for (std::size_t i = 0; i < points.size(); ++i) {
    lines.push_back(gmsh.run(gmsh->ModelGeoAddLine, points[i], points[(i + 1) % points.size()], -1));
    gmsh.run(gmsh->ModelGeoMeshSetTransfiniteCurve, lines.back(), segments + 1, "Progression", 1.);
  }
  return lines;
}

/// Node tags of the elements of a type, on one entity or (-1) on all.
std::vector<std::size_t> element_nodes(const GmshSession& gmsh, int type, int entity) {
  GmshArray<std::size_t> tags(gmsh), nodes(gmsh);
  gmsh.run(gmsh->ModelMeshGetElementsByType, type, &tags.data, &tags.size, &nodes.data, &nodes.size, entity,
           std::size_t{0}, std::size_t{1});
  return {nodes.view().begin(), nodes.view().end()};
}

/// The generated triangles, and one boundary part for each named group of edges.
Mesh extract(const GmshSession& gmsh, const std::vector<std::pair<std::string, std::vector<int>>>& groups) {
  Mesh mesh;
  mesh.cell_type = CellType::triangle;
  GmshArray<std::size_t> tags(gmsh);
  GmshArray<double> coordinates(gmsh), parameters(gmsh);
  gmsh.run(gmsh->ModelMeshGetNodes, &tags.data, &tags.size, &coordinates.data, &coordinates.size, &parameters.data,
           &parameters.size, -1, -1, 0, 0);
  std::unordered_map<std::size_t, Index> index;
  for (const std::size_t tag : tags.view()) {
    const double* x = coordinates.data + 3 * mesh.nodes.size();
    index.emplace(tag, mesh.num_nodes());
    mesh.nodes.emplace_back(x[0], x[1], 0);
  }
  for (const std::size_t tag : element_nodes(gmsh, 2, -1)) mesh.cell_nodes.push_back(index.at(tag));
  for (const auto& [name, lines] : groups) {
    BoundaryPart& part = mesh.boundaries.emplace_back(BoundaryPart{name, {}});
    for (const int line : lines)
      for (const std::size_t tag : element_nodes(gmsh, 1, line)) part.facet_nodes.push_back(index.at(tag));
  }
  return mesh;
}

Index hole_edges(const PlateWithHole& options) {
  constexpr double least = 3;
  const double around = 2 * std::numbers::pi * options.radius;
  if (options.hole_segments == 0) return static_cast<Index>(std::max(least, std::ceil(around / options.cell_size)));
  return options.hole_segments;
}

void check(const PlateWithHole& options) {
  const auto& [radius, size, segments] = options;
  if (!(radius > 0 && radius < 0.5))
    throw InputError(fmt::format("the hole's radius is {}, expected a number between 0 and 0.5", radius));
  // An equilateral triangle of edge h covers sqrt(3)/4 h^2 of the unit square.
  const double smallest = std::sqrt(4 / std::numbers::sqrt3 / max_plate_cells);
  if (!(size >= smallest && size <= 1))
    throw InputError(fmt::format("the plate's cell size is {}, expected a number from {:.2g} to 1", size, smallest));
  constexpr Index most = 10'000;
  if (segments != 0 && (segments < 3 || segments > most))
    throw InputError(
        fmt::format("the hole has {} segments, expected 0 (from the cell size) or 3 to {}", segments, most));
}

}  // namespace

Mesh create_plate_with_hole(const PlateWithHole& options) {
  check(options);
  const GmshSession gmsh;
  // The edges on the boundary are given, those inside follow the cell size alone.
  gmsh.run(gmsh->OptionSetNumber, "Mesh.Algorithm", 6.);  // frontal-Delaunay
  gmsh.run(gmsh->OptionSetNumber, "Mesh.MeshSizeExtendFromBoundary", 0.);
  gmsh.run(gmsh->OptionSetNumber, "Mesh.MeshSizeFromPoints", 0.);
  gmsh.run(gmsh->OptionSetNumber, "Mesh.MeshSizeMax", options.cell_size);

  const std::vector<Point> corners = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  auto sides = add_polygon(gmsh, corners, static_cast<Index>(std::ceil(1 / (1.5 * options.cell_size))));
  // The hole's polygon has the middle of an edge, not a corner, on the axis of symmetry.
  std::vector<Point> circle;
  const Index edges = hole_edges(options);
  for (Index i = 0; i < edges; ++i) {
    const double angle = 2 * std::numbers::pi * (i + 0.5) / edges;
    circle.emplace_back(0.5 + options.radius * std::cos(angle), 0.5 + options.radius * std::sin(angle), 0);
  }
  auto hole = add_polygon(gmsh, circle, 1);

  std::array loops = {gmsh.run(gmsh->ModelGeoAddCurveLoop, sides.data(), sides.size(), -1, 0),
                      gmsh.run(gmsh->ModelGeoAddCurveLoop, hole.data(), hole.size(), -1, 0)};
  gmsh.run(gmsh->ModelGeoAddPlaneSurface, loops.data(), loops.size(), -1);
  gmsh.run(gmsh->ModelGeoSynchronize);
  gmsh.run(gmsh->ModelMeshGenerate, 2);
  Mesh mesh = extract(
      gmsh, {{"left", {sides[3]}}, {"right", {sides[1]}}, {"bottom", {sides[0]}}, {"top", {sides[2]}}, {"hole", hole}});
  MeshNames names;
  names.mesh = "plate with a hole";
  validate(mesh, names);
  return mesh;
}

}  // namespace varimesh::mesh
