#pragma once

#include <dlfcn.h>
#include <gmshc.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace varimesh::mesh {

/// One of the formats that we read.
struct GmshFormat {
  double version;
  bool binary;
};
constexpr GmshFormat gmsh_formats[] = {{2.2, false}, {2.2, true}, {4.1, false}, {4.1, true}};

/// Calls a function of the Gmsh library, which is loaded by the first call.
template <class Function, class... Arguments>
auto call_gmsh(const char* name, Arguments... arguments) {
  static void* library = dlopen("libgmsh.so", RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  static int error = 0;
  return reinterpret_cast<Function>(dlsym(library, name))(arguments..., &error);
}

/// The real Gmsh, which meshes [0,2] (x [-1,0] (x [0,1])) in two halves and writes the files for the reader's tests.
/// Groups of cells: "all", "west" (the lower half in x), and 12, which has no name (the upper half); of facets: "left",
/// "middle" and "ends" (left and right).
class GmshWriter {
 public:
  enum class Shape { lines, triangles, quadrilaterals, tetrahedra, hexahedra };

  /// The bytes of the file.
  static std::string write(Shape shape, GmshFormat format) {
    const GmshWriter writer;
    writer.make(shape);
    return writer.save(format);
  }

 private:
  GmshWriter() {
    call_gmsh<decltype(&gmshInitialize)>("gmshInitialize", 0, nullptr, 0);
    option("General.Terminal", 0);
    call_gmsh<decltype(&gmshModelAdd)>("gmshModelAdd", "test");
  }
  ~GmshWriter() { call_gmsh<decltype(&gmshFinalize)>("gmshFinalize"); }
  GmshWriter(const GmshWriter&) = delete;
  GmshWriter& operator=(const GmshWriter&) = delete;

  static void option(const char* name, double value) {
    call_gmsh<decltype(&gmshOptionSetNumber)>("gmshOptionSetNumber", name, value);
  }
  static void group(int dimension, std::vector<int> entities, int tag, const char* name) {
    call_gmsh<decltype(&gmshModelAddPhysicalGroup)>("gmshModelAddPhysicalGroup", dimension, entities.data(),
                                                    entities.size(), tag);
    if (name) call_gmsh<decltype(&gmshModelSetPhysicalName)>("gmshModelSetPhysicalName", dimension, tag, name);
  }

  /// Sweeps an entity by (dx, dy, dz); returns the swept entity, which is the second Gmsh lists, and the first, its far
  /// end.
  struct Swept {
    int end, body;
  };
  static Swept sweep(int dimension, int tag, double dx, double dy, double dz, int layers, bool recombine) {
    int entity[] = {dimension, tag}, count[] = {layers};
    int* swept = nullptr;
    std::size_t size = 0;
    call_gmsh<decltype(&gmshModelGeoExtrude)>("gmshModelGeoExtrude", entity, std::size_t{2}, dx, dy, dz, &swept, &size,
                                              count, std::size_t{1}, nullptr, std::size_t{0}, int{recombine});
    return {swept[1], swept[3]};
  }

  /// Sweeps a point in z and then down in y, as the dimension needs, and the facet that it traced in x, twice.
  void make(Shape shape) const {
    const bool recombine = shape == Shape::quadrilaterals || shape == Shape::hexahedra;
    const int dimension = shape == Shape::lines                                         ? 1
                          : shape == Shape::triangles || shape == Shape::quadrilaterals ? 2
                                                                                        : 3;
    int left = call_gmsh<decltype(&gmshModelGeoAddPoint)>("gmshModelGeoAddPoint", 0., 0., 0., 0., -1);
    if (dimension > 2) left = sweep(0, left, 0, 0, 1, 2, recombine).body;
    if (dimension > 1) left = sweep(dimension - 2, left, 0, -1, 0, 3, recombine).body;
    const Swept west = sweep(dimension - 1, left, 1, 0, 0, 2, recombine);
    const Swept east = sweep(dimension - 1, west.end, 1, 0, 0, 3, recombine);
    call_gmsh<decltype(&gmshModelGeoSynchronize)>("gmshModelGeoSynchronize");
    group(dimension, {west.body, east.body}, 1, "all");
    group(dimension, {west.body}, 7, "west");
    group(dimension, {east.body}, 12, nullptr);
    group(dimension - 1, {left}, 1, "left");
    group(dimension - 1, {west.end}, 2, "middle");
    group(dimension - 1, {left, east.end}, 3, "ends");
    call_gmsh<decltype(&gmshModelMeshGenerate)>("gmshModelMeshGenerate", dimension);
  }

  std::string save(GmshFormat format) const {
    option("Mesh.MshFileVersion", format.version);
    option("Mesh.Binary", format.binary);
    const auto file =
        std::filesystem::path(testing::TempDir()) /
        (std::string("varimesh_") + testing::UnitTest::GetInstance()->current_test_info()->name() + ".msh");
    call_gmsh<decltype(&gmshWrite)>("gmshWrite", file.c_str());
    std::ifstream stream(file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    std::filesystem::remove(file);
    return bytes;
  }
};

}  // namespace varimesh::mesh
