// All words of small and odd problems, as people see them: one of a thing, digits, signs, spaces.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/program.h"
#include "varimesh/file.h"

namespace varimesh {
namespace {

namespace fs = std::filesystem;
using test::run_program;
using test::ScratchDirectory;

/// What nobody writes, with some words around it.
std::vector<std::string> slips(const std::string& text) {
  static const std::pair<const char*, std::regex> patterns[] = {
      {"one of several",
       std::regex(
           R"((^|[^.\w,])1 (effective |exact |free |more |standard )?(?!(is|has|was|less|unless|as)\b)[a-z]+s\b)")},
      {"several of one", std::regex(R"(\b1 (of \d+ \w+ )?are\b)")},
      {"an exponent in an error", std::regex(R"((\+-|\xc2\xb1)[ \xc2\xa0]*\d[\d.]*e)")},
      {"no number", std::regex(R"(\b(nan|inf)\b)")},
      {"minus zero", std::regex(R"((^|\s)-0(\.0+)?(?=[\s,;)]))")},
      {"a space too many", std::regex(R"( [,.;:] |\( | \)|[.,;] {2,}[A-Z])")},
      {"two points", std::regex(R"([a-z]\.\.(\s|$)|,,|;\.|;;)")},
      {"nothing in quotes", std::regex(R"('')")},
  };
  std::vector<std::string> found;
  for (const auto& [what, pattern] : patterns) {
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
      const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, at->position() - 60));
      found.push_back(std::string(what) + ": ..." + text.substr(begin, 140));
    }
  }
  return found;
}

/// Every text in it but for the draws' numbers.
void gather_texts(const nlohmann::json& value, std::string& texts) {
  if (value.is_string()) texts += value.get<std::string>() + "\n";
  if (!value.is_structured()) return;
  for (const auto& [key, member] : value.items()) {
    if (key != "data" && key != "command") gather_texts(member, texts);
  }
}

/// The words of a report and of summaries, which are not the page's own.
std::string texts_in(const fs::path& results) {
  std::string texts;
  for (const auto& entry : fs::recursive_directory_iterator(results)) {
    if (entry.path().filename() == "summary.json")
      gather_texts(nlohmann::json::parse(read_file(entry.path(), 1 << 24)), texts);
    if (entry.path().extension() != ".html") continue;
    const std::string page = read_file(entry.path(), 1 << 26);
    const std::string start = R"(<script type="application/json" id="data">)";
    const std::size_t begin = page.find(start) + start.size();
    gather_texts(nlohmann::json::parse(page.substr(begin, page.find("</script", begin) - begin)), texts);
  }
  return texts;
}

void expect_no_slips(const std::string& text) { EXPECT_THAT(slips(text), testing::IsEmpty()); }

TEST(Proofreading, FindsWhatItLooksFor) {
  for (const char* bad : {"1 draws", "of 1 unknowns on", "in 1 iterations: ", "1 effective draws", "1 of 3 draws are",
                          "2311 +- 3.6e+02", "by nan sds", "at -0, ", "one , two ", "the end..", "did you mean ''?"})
    EXPECT_THAT(slips(bad), testing::SizeIs(1)) << bad;
  for (const char* good : {"1 draw", "2.1 draws", "0.1 sds", "1 is as", "1 of 3 draws is", "2311 +- 356", "0.5e-3",
                           "-0.25, 0", "(a, b).", "11 draws", "information", "1 less"})
    EXPECT_THAT(slips(good), testing::IsEmpty()) << good;
}

struct OddProblem {
  const char* name;
  std::string text;
  std::string data = "x,value\n0.5,0.21\n";

  friend void PrintTo(const OddProblem& problem, std::ostream* stream) { *stream << problem.name; }
};

const std::string prior = "[prior]\nkind = \"independent\"\nsigma = 0.5\n";
const std::string few_draws =
    "[method]\ndraws = 20\nbudget = \"1s\"\n[method.chains]\nchains = 1\ndraws = 30\nwarmup = 20\n";
const std::string ends = "[equation]\nsource = 1\n[boundary]\nleft = { dirichlet = 0 }\n";

class Proofreading : public testing::TestWithParam<OddProblem> {};
INSTANTIATE_TEST_SUITE_P(
    Problems, Proofreading,
    testing::Values(
        OddProblem{"OneOfEverything", "[mesh]\nkind = \"interval\"\ncells = 1\n" + ends +
                                          "[observations]\ndata = \"data.csv\"\nsigma = 0.1\n[quantities]\nout = { "
                                          "flux = \"left\" }\nend = { value = [1] }\n" +
                                          prior + few_draws},
        OddProblem{"OneBlockOfTwoCells",
                   "[mesh]\nkind = \"interval\"\ncells = 2\n[coefficient]\nper = \"block\"\nblocks = [1]\n" + ends +
                       "[observations]\ndata = \"data.csv\"\nsigma = 0.1\n[truth]\nkappa = 0\n[quantities]\n"
                       "end = { value = [1], of = \"conductivity\" }\n" +
                       prior + few_draws,
                   "x,value\n0.5,0.21\n0.5,0.25\n0.9,4\n"},
        OddProblem{"HugeNumbers",
                   "[mesh]\nkind = \"rectangle\"\ncells = [2, 1]\ncell_type = \"quadrilateral\"\n"
                   "[equation]\nsource = 2e7\n[boundary]\nleft = { dirichlet = 0 }\nright = { dirichlet = 1e6 }\n"
                   "[observations]\ndata = \"data.csv\"\nsigma = 30000\n[labels]\nu = \"head\"\nu_unit = \"m\"\n"
                   "flux_unit = \"m3/d\"\nconductivity = \"transmissivity\"\nconductivity_unit = \"m2/d\"\n"
                   "[quantities]\nout = { flux = \"left\" }\n" +
                       prior + few_draws,
                   "well,x,y,value\nA,0.5,0.2,3000000\nB,0.25,0.7,1500000\nC,0.8,0.8,4000000\n"},
        OddProblem{"TinyNumbers",
                   "[mesh]\nkind = \"box\"\ncells = [1, 1, 1]\ncell_type = \"hexahedron\"\n"
                   "[equation]\nsource = 1e-7\n[boundary]\nleft = { dirichlet = 0 }\n[observations]\ndata = "
                   "\"data.csv\"\nsigma = 1e-9\n[quantities]\nout = { flux = \"left\" }\n[coefficient]\nper = "
                   "\"node\"\n" +
                       prior + few_draws,
                   "x,y,z,value\n1,0.5,0.5,5e-8\n"}),
    [](const auto& problem) { return problem.param.name; });

TEST_P(Proofreading, OfEveryCommand) {
  const ScratchDirectory directory;
  directory.write("problem.toml", GetParam().text);
  directory.write("data.csv", GetParam().data);
  for (const char* command :
       {"check problem.toml", "evaluate problem.toml --kappa 0", "run problem.toml --threads 1",
        "run problem.toml --threads 1 -m low_rank,pmvb,fcvb,mfvb,laplace,mixture,nuts,hmc,pcn -o all",
        "run problem.toml --threads 1 -m fcvb,laplace,mixture,nuts -o short --set method.fit.max_iterations=1 --set "
        "method.chains.draws=4",
        "report problem-results all -o both.html", "predict all problem.toml",
        "calibrate problem.toml -m laplace,nuts --repeats 1 --threads 1"}) {
    SCOPED_TRACE(command);
    const auto output = run_program(command, directory.path());
    EXPECT_THAT(output.exit_code, testing::AnyOf(0, 1)) << output.text;
    expect_no_slips(output.text);
  }
  expect_no_slips(texts_in(directory.path()));
}

}  // namespace
}  // namespace varimesh
