#include "varimesh/calibration/calibrate.h"

#include <gmock/gmock.h>

#include "calibration/line_problem.h"
#include "expect_input_error.h"
#include "scratch_directory.h"
#include "varimesh/calibration/calibration_file.h"
#include "varimesh/calibration/page.h"
#include "varimesh/calibration/repeat_file.h"

namespace varimesh::calibration {
namespace {

using test::ScratchDirectory;
using testing::HasSubstr;

const std::string line = std::string(test::line_problem) + R"([method]
use = ["laplace", "nuts"]
draws = 100
chains = { chains = 2, draws = 50, warmup = 30 }
)";

Experiment experiment(const std::string& text = line, const ExperimentOptions& options = {}) {
  return {run::parse_config(text, "problem.toml"), options};
}

/// All numbers but times, as files have them.
std::string numbers(const Experiment& made, std::vector<Repeat> repeats) {
  for (Repeat& repeat : repeats) {
    for (MethodScore& method : repeat.methods) method.seconds = 0;
  }
  return format_calibration(summarize(made.quantities(), made.method_names(), made.num_unknowns(), repeats),
                            describe_origin(made));
}

/// Stops once so many repeats are done.
CalibrateObserver stop_after(Index repeats) {
  return [repeats](const CalibrateProgress& progress) { return progress.done < repeats; };
}

TEST(Calibrate, NumbersAreTheSameOnTwoThreadsAndAfterAStop) {
  const Experiment made = experiment();
  const ScratchDirectory one, two, broken;
  const std::string whole = numbers(made, calibrate(made, {12, 1, one.path(), false}));
  EXPECT_EQ(numbers(made, calibrate(made, {12, 2, two.path(), false})), whole);
  const auto part = calibrate(made, {12, 2, broken.path(), false}, stop_after(5));
  EXPECT_GE(part.size(), 5U);
  EXPECT_LT(part.size(), 12U);
  EXPECT_EQ(numbers(made, calibrate(made, {12, 2, broken.path(), true})), whole);
  EXPECT_THAT(whole, HasSubstr("\"repeats\": 12"));
}

TEST(Calibrate, ResumesToMoreRepeatsAndShowsFewer) {
  const Experiment made = experiment();
  const ScratchDirectory grown, whole;
  calibrate(made, {4, 1, grown.path(), false});
  EXPECT_EQ(numbers(made, calibrate(made, {8, 1, grown.path(), true})),
            numbers(made, calibrate(made, {8, 1, whole.path(), false})));
  EXPECT_EQ(calibrate(made, {3, 1, grown.path(), true}).size(), 3U);
}

TEST(Calibrate, TruthsDifferAndMethodsAnswerTheSameOnes) {
  const Experiment made = experiment();
  const ScratchDirectory directory;
  const auto repeats = calibrate(made, {3, 1, directory.path(), false});
  EXPECT_NE(repeats[0].methods[0].quantities[0].truth, repeats[1].methods[0].quantities[0].truth);
  EXPECT_EQ(repeats[0].methods[0].quantities[0].truth, repeats[0].methods[1].quantities[0].truth);
  EXPECT_EQ(made.quantities()[0].name, "log_flux");
  EXPECT_EQ(made.quantities()[1].name, "kappa_mean");
  EXPECT_EQ(made.quantities()[2].label, "kappa in cell 0 at (0.0625)");
}

TEST(Calibrate, ARefinedMeshChangesTheQuantitiesOfTheTruthALittle) {
  const ScratchDirectory coarse, fine;
  const Experiment crime = experiment(), honest = experiment(line, {1, 2});
  const QuantityScore a = calibrate(crime, {1, 1, coarse.path(), false})[0].methods[0].quantities[0];
  const QuantityScore b = calibrate(honest, {1, 1, fine.path(), false})[0].methods[0].quantities[0];
  EXPECT_NE(a.truth, b.truth);
  EXPECT_NEAR(a.truth, b.truth, 0.05);
}

TEST(Calibrate, TakesNoiseAndReplicatesFromDataThatAreThere) {
  const ScratchDirectory directory;
  directory.write("data.csv", "x,value,sigma,count\n0.25,1,0.1,4\n0.5,2,0.2,1\n");
  const std::size_t from = line.find("sensors = "), to = line.find("[prior]");
  std::string text = line;
  text.replace(from, to - from, "data = \"data.csv\"\n");
  const Experiment made({run::parse_config(text, directory.path() / "problem.toml")}, {});
  EXPECT_EQ(made.record().sensors.sigma, Eigen::Vector2d(0.1, 0.2));
  EXPECT_EQ(made.record().sensors.count, Eigen::Vector2d(4, 1));
}

TEST(Calibrate, OverAllRepeatsAPageIsMade) {
  const Experiment made = experiment();
  const ScratchDirectory directory;
  const auto repeats = calibrate(made, {2, 1, directory.path(), false});
  const Calibration result = summarize(made.quantities(), made.method_names(), made.num_unknowns(), repeats);
  const std::string page = format_page(result, describe_origin(made), {"1.0", "today", "varimesh calibrate"});
  EXPECT_THAT(page, HasSubstr("2 answers are too few to tell"));
  EXPECT_THAT(page, HasSubstr("Gaussian process"));
}

class StoredRepeats : public testing::Test {
 protected:
  StoredRepeats() { calibrate(made_, {3, 1, directory_.path(), false}); }

  std::string file() const { return directory_.read(repeats_file); }
  std::string path() const { return (directory_.path() / repeats_file).string(); }
  void write(const std::string& bytes) const { directory_.write(repeats_file, bytes); }
  auto resume() const { return calibrate(made_, {3, 1, directory_.path(), true}); }

  const ScratchDirectory directory_;
  const Experiment made_ =
      experiment(line + "[labels]\ntitle = \"a problem\"\n");  // captions are no part of what repeats depend on
};

TEST_F(StoredRepeats, ReadBackAsTheyWere) {
  std::string text = file().substr(0, file().find('\n') + 1);
  for (const Repeat& repeat : resume()) text += format_repeat(repeat);
  EXPECT_EQ(file(), text);
}

TEST_F(StoredRepeats, LoseOnlyALineThatIsNotWhole) {
  const std::string whole = file();
  write(whole.substr(0, whole.size() - 10));
  const auto repeats = resume();
  EXPECT_EQ(repeats.size(), 3U);
  EXPECT_EQ(std::ranges::count(file(), '\n'), 4);
}

TEST_F(StoredRepeats, OfSomethingElseAreRefusedInOneSentence) {
  const std::string message = "'" + path() +
                              "' holds repeats of another problem, or with other options or another version of "
                              "varimesh: expected the same to --resume; --force begins anew";
  const auto refuse = [&](const Experiment& other) {
    EXPECT_INPUT_ERROR(calibrate(other, {3, 1, directory_.path(), true}), message);
  };
  const auto with = [](const std::string& what, const std::string& by) {
    std::string text = line;
    return text.replace(text.find(what), what.size(), by);
  };
  refuse(experiment(with("length_scale = 0.4", "length_scale = 0.5")));
  refuse(experiment(with("draws = 50", "draws = 51")));
  refuse(experiment(with(", \"nuts\"", "")));
  refuse(experiment(line, {2, 0}));
  refuse(experiment(line, {1, 1}));
  EXPECT_EQ(calibrate(experiment(), {3, 1, directory_.path(), true}).size(), 3U);
  write("");
  refuse(experiment());
}

TEST_F(StoredRepeats, ThatAreDamagedAreRefusedWithTheirLine) {
  const std::string whole = file();
  const auto with = [&](const std::string& what, const std::string& by) {
    std::string bytes = whole;
    write(bytes.replace(bytes.find(what), what.size(), by));
  };
  with("\"rank\":", "\"runk\":");
  EXPECT_INPUT_ERROR(resume(),
                     path() + ":2: methods[0].quantities[0].rank: expected an integer from 0 to 99, found nothing");
  with("\"of\":99", "\"of\":990");
  EXPECT_INPUT_ERROR(resume(), path() + ":2: methods[0].quantities[0].of: expected an integer from 0 to 99, found 990");
  with("\"method\":\"laplace\"", "\"method\":\"fcvb\"");
  EXPECT_INPUT_ERROR(resume(), path() + ":2: methods[0].method: expected 'laplace', found 'fcvb'");
  with("{\"repeat\":1", "{\"repeat\":0");
  EXPECT_INPUT_ERROR(resume(), path() + ": expected each repeat once, found 0 twice");
  with("\"place\":0", "\"place\":7");
  EXPECT_THAT(test::input_error([&] { resume(); }), HasSubstr("expected a number from 0 to 1, found 7"));
  with("{\"repeat\":2", "{\"repeat\"");
  EXPECT_THAT(test::input_error([&] { resume(); }), HasSubstr(":4:1: expected JSON, found an error in column"));
}

TEST(Experiment, NamesWhatTheProblemLacks) {
  const auto without = [](const std::string& from, const std::string& to) {
    std::string text = line;
    const std::size_t begin = text.find(from);
    return text.erase(begin, text.find(to) - begin);
  };
  EXPECT_INPUT_ERROR(experiment(without("[prior]", "[quantities]")),
                     "problem.toml: expected a table [prior], from which truths are drawn");
  EXPECT_INPUT_ERROR(
      experiment(without("[observations]", "[prior]")),
      "problem.toml: expected the key observations.sensors or [measurements], which say where to measure");
  EXPECT_INPUT_ERROR(
      experiment(without("sigma = 0.02", "[prior]")),
      "problem.toml: expected the key observations.sigma, or a column 'sigma' beside the positions: the noise to add");
  std::string wild = line;
  wild.replace(wild.find("length_scale = 0.4"), 18, "length_scale = 0.4\nmean = 2000");
  const ScratchDirectory directory;
  EXPECT_THAT(test::input_error([&] { calibrate(experiment(wild), {1, 1, directory.path(), false}); }),
              HasSubstr("the equation cannot be solved at 100 draws of the prior in a row"));
}

}  // namespace
}  // namespace varimesh::calibration
