// Draws of bimodal.h.
#include "varimesh/file.h"
#include "varimesh/io/netcdf.h"
#include "varimesh/paper/bimodal.h"
#include "varimesh/random.h"
#include "varimesh/version.h"

namespace varimesh::paper {

Matrix draw_mixture(const BimodalAnswers& answers) {
  const variational::Family& q = *answers.mixture.q;
  Random random(answers.config.adam.seed);
  return q.transform(random.normal_matrix(2, answers.config.draws * q.num_components()));
}

void write_mixture_draws(const std::filesystem::path& file, const Matrix& draws, Index of_each) {
  io::NetcdfFile netcdf(file, io::NetcdfFile::Mode::create);
  const io::NetcdfGroup root = netcdf.root();
  root.set("created_by", "varimesh");
  root.set("inference_library", "varimesh");
  root.set("varimesh_version", version());
  const auto count = static_cast<std::size_t>(draws.cols());
  const auto add = [&](const std::string& name) {
    const io::NetcdfGroup group = root.add_group(name);
    group.add_dimension("chain", 1);
    group.add_dimension("draw", count);
    return group;
  };
  const std::vector<std::string> dimensions = {"chain", "draw"};
  const io::NetcdfGroup posterior = add("posterior"), statistics = add("sample_stats");
  posterior.add_variable("kappa", dimensions).write(Vector(draws.row(0)));
  posterior.add_variable("log_u_R", dimensions).write(Vector(draws.row(1)));
  std::vector<Index> component(count);
  for (std::size_t s = 0; s < count; ++s) component[s] = static_cast<Index>(s) / of_each;
  statistics.add_variable("component", dimensions, io::NetcdfType::int32).write(component);
  write_file(file, netcdf.finish().view());
}

}  // namespace varimesh::paper
