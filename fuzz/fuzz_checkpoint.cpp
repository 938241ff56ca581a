#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "varimesh/error.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/inverse/posterior.h"
#include "varimesh/linalg/clique_tree.h"
#include "varimesh/mcmc/checkpoint.h"

namespace {

using namespace varimesh;

/// Two unknowns, measured with noise of standard deviation 1 each.
class Measured final : public inverse::LogLikelihood {
 public:
  Index num_parameters() const override { return 2; }
  double value(const Vector& kappa) const override { return -0.5 * kappa.squaredNorm(); }
  double value_and_gradient(const Vector& kappa, Vector& gradient) const override {
    gradient = -kappa;
    return value(kappa);
  }
};

/// A checkpoint file, and what a chain that has learnt a scale of this kind would write to it.
struct Example {
  mcmc::CheckpointFile file;
  std::string content;

  Example(const inverse::Posterior& posterior, const mcmc::SamplerOptions& sampler)
      : file("fuzz.checkpoint", posterior, sampler, 1, 0, 1) {
    mcmc::Chain chain(posterior, sampler, 1, 0, Vector(Vector::Zero(2)));
    for (int i = 0; i < 45; ++i) chain.advance();
    content = file.encode(chain.state(), {7, {8}});
  }
};

const std::vector<Example>& examples() {
  static const inverse::Posterior posterior(
      std::make_shared<Measured>(), std::make_shared<inverse::IndependentPrior>(Vector::Zero(2), Vector::Ones(2)));
  static const std::vector<Example> all = [] {
    const linalg::Graph graph = linalg::create_graph(2, {{0, 1}});
    const auto pattern =
        std::make_shared<linalg::CliqueTree>(graph, linalg::reverse_cuthill_mckee(graph), linalg::Amalgamation::none);
    std::vector<Example> made;
    for (const auto scale : {mcmc::ScaleKind::diagonal, mcmc::ScaleKind::dense, mcmc::ScaleKind::sparse})
      made.emplace_back(posterior, mcmc::SamplerOptions{.warmup = 40, .scale = scale, .pattern = pattern});
    return made;
  }();
  return all;
}

/// Content with changes, each told by four bytes: where (two), how, and the byte to put there.
std::string edit(std::string content, const std::uint8_t* data, std::size_t size) {
  for (; size >= 4 && !content.empty(); data += 4, size -= 4) {
    const std::size_t place = (data[0] + std::size_t{256} * data[1]) % content.size();
    const auto byte = static_cast<char>(data[3]);
    switch (data[2] % 4) {
      case 0:
        content[place] = byte;
        break;
      case 1:
        content.insert(place, 1 + data[2] / 4, byte);
        break;
      case 2:
        content.erase(place, 1 + data[2] / 4);
        break;
      default:
        content.resize(place);
    }
  }
  return content;
}

}  // namespace

/// Any bytes are either a checkpoint, which is then written as it was read, or an InputError. The first byte says
/// whether the rest are the content of a file or changes of an example.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Example& example = examples()[data[0] % 3];
  const bool whole = data[0] >= 128;
  const std::string content = whole ? std::string(reinterpret_cast<const char*>(data + 1), size - 1)
                                    : edit(example.content, data + 1, size - 1);
  try {
    const auto rewrite = [&](const std::string& text) {
      const mcmc::Checkpoint read = example.file.decode(text);
      return example.file.encode(read.state, read.draws);
    };
    const std::string once = rewrite(content);
    if (rewrite(once) != once) __builtin_trap();
  } catch (const InputError&) {
  }
  return 0;
}
