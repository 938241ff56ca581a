// Every method is asked to end, once at each of many of its looks whether somebody asks.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "countdown.h"
#include "run/made_up_problem.h"
#include "varimesh/directory_names.h"
#include "varimesh/file.h"
#include "varimesh/pending_files.h"
#include "varimesh/run/configured_problem.h"
#include "varimesh/run/result_directory.h"
#include "varimesh/run/stored_inference.h"

namespace varimesh::run {
namespace {

namespace fs = std::filesystem;
using test::Countdown;

const std::string square = R"toml(
[mesh]
kind = "rectangle"
cells = [3, 3]
[equation]
source = 1
[boundary]
left = { dirichlet = 0 }
[observations]
data = "data.csv"
sensors = "nodes"
sigma = 0.02
[prior]
kind = "spde"
range = 0.5
[quantities]
log_flux = { log_flux = "left" }
[method]
draws = 40
budget = "1h"
[method.chains]
chains = 2
draws = 20
warmup = 25
)toml";

/// A problem of 18 triangles in a directory of its own.
struct Case : test::MadeUpProblem {
  Case() : MadeUpProblem(square, "", 3) {}

  StoredInference infer(const fs::path& out, Method method, bool resume = false, int threads = 1) const {
    return infer_into(out, config.method, ConfiguredProblem(config, problem), *posterior, method, {threads, resume});
  }
};

constexpr long long never = 1'000'000'000'000;

/// Each of the first looks, then some spread over all of them.
std::set<long long> looks_to_try(long long total) {
  std::set<long long> looks;
  for (long long k = 0; k < std::min<long long>(total, 6); ++k) looks.insert(k);
  for (long long k = 0; k < 14; ++k) looks.insert(k * total / 14);
  for (long long k = 1; k <= std::min<long long>(total, 4); ++k) looks.insert(total - k);
  return looks;
}

/// That what is in a directory of results is whole.
void expect_whole(const fs::path& out, const result::MethodRecord& found) {
  for (const auto& entry : fs::recursive_directory_iterator(out))
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  const StoredResult stored = read_result(out);
  EXPECT_EQ(stored.method.status, found.status);
  ASSERT_EQ(stored.method.has_answer(), found.has_answer());
  if (!found.has_answer()) return;
  EXPECT_TRUE(stored.method.kappa.mean.allFinite() && stored.method.kappa.sd.allFinite());
  EXPECT_EQ(stored.method.kappa.mean, found.kappa.mean);
  EXPECT_EQ(stored.method.num_draws(), found.num_draws());
}

class EveryMethodInterrupted : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, EveryMethodInterrupted,
                         testing::Values(Method::automatic, Method::low_rank, Method::pmvb, Method::fcvb, Method::mfvb,
                                         Method::laplace, Method::nuts, Method::hmc, Method::pcn),
                         [](const auto& method) { return std::string(name(method.param)); });

TEST_P(EveryMethodInterrupted, EndsSoonWithWhatIsThere) {
  const Case c;
  const result::MethodRecord expected = c.infer(c.directory.path() / "expected", GetParam()).method;
  const Countdown all(never);
  {
    const CancellationScope scope({&all});
    const result::MethodRecord heard = c.infer(c.directory.path() / "heard", GetParam()).method;
    EXPECT_EQ(heard.kappa.mean, expected.kappa.mean);
    EXPECT_EQ(heard.kappa.sd, expected.kappa.sd);
  }
  const std::string kappa = c.directory.read("expected/kappa.csv");
  const long long total = all.looks();
  ASSERT_GT(total, 100);
  int answers = 0, count = 0;
  for (const long long grace : {never, 0LL}) {
    for (const long long k : looks_to_try(total)) {
      SCOPED_TRACE(fmt::format("look {} of {}, grace {}", k, total, grace));
      const fs::path out = c.directory.path() / "out";
      fs::remove_all(out);
      const Countdown countdown(k, grace);
      bool begun = true;
      result::MethodRecord found;
      {
        const CancellationScope scope({&countdown});
        begun = completes([&] { found = c.infer(out, GetParam(), false, count % 7 == 6 ? 2 : 1).method; });
      }
      if (!countdown.has_asked()) continue;
      if (!begun) {
        EXPECT_FALSE(holds_result(out));
        continue;
      }
      EXPECT_EQ(found.status, result::Status::interrupted) << found.message;
      EXPECT_EQ(result::worst_level(found.trust), result::TrustItem::Level::bad);
      // Every part that is left out has one look at the request, and each evaluation of the model is one.
      if (grace == 0) {
        EXPECT_LT(countdown.since(), 30);
      }
      expect_whole(out, found);
      answers += found.has_answer();
      if (count++ % 10 != 0) continue;
      const StoredInference resumed = c.infer(out, GetParam(), true);
      EXPECT_FALSE(resumed.was_there);
      EXPECT_EQ(c.directory.read("out/kappa.csv"), kappa);
    }
  }
  EXPECT_GT(answers, 5);
}

/// Asks for an end, at once, when posterior.nc is being written.
class WhilePosteriorIsWritten final : public Cancellation {
 public:
  explicit WhilePosteriorIsWritten(fs::path directory) : directory_(std::move(directory)) {}
  bool requested() const noexcept override {
    for (const std::string& name : directory_names(directory_)) {
      if (is_pending_name(name, "posterior.nc")) return true;
    }
    return false;
  }
  bool expired() const noexcept override { return requested(); }

 private:
  fs::path directory_;
};

TEST(InterruptedWriting, LeavesDrawsInTheirChainsFromWhichTheResultIsWrittenLater) {
  const Case c;
  c.infer(c.directory.path() / "expected", Method::nuts);
  const fs::path out = c.directory.path() / "out";
  const WhilePosteriorIsWritten user(out);
  const auto infer = [&](double bytes_of_a_moment, bool resume) {
    const CancellationScope scope({&user});
    return infer_into(out, c.config.method, ConfiguredProblem(c.config, c.problem), *c.posterior, Method::nuts,
                      {.resume = resume, .bytes_of_a_moment = bytes_of_a_moment});
  };
  const result::MethodRecord found = infer(0, false).method;
  EXPECT_EQ(found.status, result::Status::interrupted);
  EXPECT_THAT(found.message, testing::HasSubstr("interrupted while the draws were written"));
  EXPECT_FALSE(found.has_answer());
  expect_whole(out, found);
  // Few draws are written whole, whoever asks.
  const StoredInference resumed = infer(1e8, true);
  EXPECT_FALSE(resumed.was_there);
  EXPECT_EQ(resumed.method.status, result::Status::completed);
  EXPECT_EQ(c.directory.read("out/kappa.csv"), c.directory.read("expected/kappa.csv"));
}

}  // namespace
}  // namespace varimesh::run
