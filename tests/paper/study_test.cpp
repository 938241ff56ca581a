#include "varimesh/paper/study.h"

#include <gmock/gmock.h>

#include <future>

#include "expect_input_error.h"
#include "scratch_directory.h"
#include "varimesh/file.h"
#include "varimesh/paper/files.h"
#include "varimesh/run/result_directory.h"

namespace varimesh::paper {
namespace {

using run::Method;
using test::ScratchDirectory;
using testing::HasSubstr;
using testing::SizeIs;

const std::vector<run::Override> few_draws = {{"method.draws", "100"}, {"method.chains.draws", "50"}};

std::vector<run::Override> with_prior(const char* scale) {
  std::vector<run::Override> settings = few_draws;
  settings.push_back({"prior.length_scale", scale});
  return settings;
}

StudyOptions options_in(const ScratchDirectory& directory) {
  StudyOptions options;
  options.directory = directory.path();
  options.threads = 2;
  return options;
}

TEST(Study, LeavesResultsThatOtherCommandsRead) {
  const ScratchDirectory directory;
  const Study study("lines", poisson_1d_problem(), options_in(directory), 2);
  study.make_data("truth", 1, {{"prior.length_scale", "0.2"}});
  const Answers answers = study.infer({"truth", "prior", with_prior("0.1"), {Method::fcvb, Method::mfvb}});
  ASSERT_THAT(answers.methods, SizeIs(2));
  EXPECT_EQ(answers.of("mfvb").name, "MFVB");
  EXPECT_ANY_THROW(answers.of("nuts"));
  const std::filesystem::path place = directory.path() / "lines/truth/prior";
  const run::StoredResult stored = run::read_result(place / "fcvb");
  EXPECT_EQ(stored.method.kappa.mean, answers.of("fcvb").kappa.mean);
  EXPECT_THAT(read_file(place / "problem.toml", 100'000), HasSubstr("length_scale = 0.1"));
  EXPECT_EQ(run::read_config(place / "problem.toml").method.draws, 100);
}

TEST(Study, ReadsWhatIsThereUnlessToldNotTo) {
  const ScratchDirectory directory;
  StudyOptions options = options_in(directory);
  const Case asked{"truth", "prior", with_prior("0.2"), {Method::hmc, Method::fcvb}};
  const auto seconds = [&] {
    const Study study("lines", poisson_1d_problem(), options, 2);
    study.make_data("truth", 1, {});
    const Answers answers = study.infer(asked);
    return std::vector<double>{answers.methods[0].seconds, answers.methods[1].seconds};
  };
  const std::vector<double> first = seconds();
  EXPECT_EQ(seconds(), first);  // no two runs take the same time to the last bit
  options.resume = false;
  EXPECT_NE(seconds(), first);
}

TEST(StudyOptions, AdamTakesThePapersStepsUnlessOneSeedOrItsNumberIsAskedFor) {
  StudyOptions options;
  EXPECT_EQ(options.adam_steps_for(500'000), 500'000);
  options.seeds = 1;
  EXPECT_EQ(options.adam_steps_for(500'000), 5000);
  options.adam_steps = 7;
  EXPECT_EQ(options.adam_steps_for(500'000), 7);
}

TEST(Study, AnswersAreTheSameOnSeveralThreads) {
  const ScratchDirectory together, apart;
  const std::vector<Case> cases = {{"truth", "a", with_prior("0.1"), {Method::hmc, Method::fcvb}},
                                   {"truth", "b", with_prior("0.2"), {Method::pmvb}}};
  const Study study("lines", poisson_1d_problem(), options_in(together), 3);
  study.make_data("truth", 3, {});
  const std::vector<Answers> several = study.infer_side_by_side(cases);
  StudyOptions alone = options_in(apart);
  alone.threads = 1;
  const Study again("lines", poisson_1d_problem(), alone, 3);
  again.make_data("truth", 3, {});
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Answers answers = again.infer(cases[k]);
    EXPECT_EQ(answers.problem.fingerprint, several[k].problem.fingerprint);
    ASSERT_THAT(several[k].methods, SizeIs(cases[k].methods.size()));
    for (std::size_t m = 0; m < cases[k].methods.size(); ++m)
      EXPECT_EQ(answers.methods[m].kappa.mean, several[k].methods[m].kappa.mean);
  }
}

TEST(Study, ProgressOnSeveralThreadsOnlyGrowsAndCountsByWeight) {
  const ScratchDirectory directory;
  StudyOptions options = options_in(directory);
  double done = 0;
  options.observer = [&](const StudyProgress& progress) {
    EXPECT_GE(progress.done, done);
    done = progress.done;
    return true;
  };
  const Study study("lines", poisson_1d_problem(), options, 8);
  study.make_data("truth", 1, {});
  study.infer_side_by_side({{"truth", "a", with_prior("0.1"), {Method::fcvb, Method::pmvb}, 3},
                            {"truth", "b", with_prior("0.2"), {Method::fcvb}}});
  EXPECT_LE(done, 7.0 / 8);
  study.repeat({"truth", "c", with_prior("0.3"), {Method::mfvb}});
  EXPECT_GE(done, 7.0 / 8);  // told when the last one began
  EXPECT_LE(done, 1);
}

TEST(Study, WhatRunsOnOtherThreadsStopsWhenATaskFails) {
  const ScratchDirectory directory;
  const Study study("lines", poisson_1d_problem(), options_in(directory), 1);
  study.make_data("truth", 1, {});
  // A fit that would take hours.
  std::vector<run::Override> endless = with_prior("0.1");
  endless.insert(endless.end(), {{"method.fit.optimizer", "\"adam\""},
                                 {"method.fit.max_iterations", "1000000000"},
                                 {"method.fit.tolerance", "1e-12"}});
  std::promise<void> begun;
  const std::vector<Task> tasks = {[&] {
                                     begun.set_value();
                                     study.infer({"truth", "endless", endless, {Method::pmvb}});
                                   },
                                   [&] {
                                     begun.get_future().wait();
                                     throw InputError("a task failed");
                                   }};
  EXPECT_INPUT_ERROR(study.run(tasks), "a task failed");
}

TEST(Study, ReadsResultsOnSeveralThreadsInSilence) {
  const ScratchDirectory directory;
  const Study study("lines", poisson_1d_problem(), options_in(directory), 4);
  study.make_data("truth", 1, {});
  const std::vector<Case> cases = {{"truth", "a", with_prior("0.1"), {Method::fcvb}},
                                   {"truth", "b", with_prior("0.2"), {Method::fcvb}},
                                   {"truth", "c", with_prior("0.3"), {Method::fcvb}}};
  study.infer_side_by_side(cases);
  testing::internal::CaptureStderr();
  const std::vector<Answers> again = study.infer_side_by_side(cases);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");  // HDF5 likes to complain
  EXPECT_THAT(again, SizeIs(3));
}

TEST(Study, RepetitionsAreTheNumbersOfTheSameInference) {
  const ScratchDirectory directory;
  const Study study("lines", poisson_1d_problem(), options_in(directory), 4);
  study.make_data("truth", 1, {});
  const Case asked{"truth", "prior", with_prior("0.2"), {Method::fcvb, Method::mfvb}};
  const std::vector<Repetition> numbers = study.repeat(asked);
  ASSERT_THAT(numbers, SizeIs(2));
  const Answers answers = study.infer(asked);
  EXPECT_EQ(numbers[1].kappa_error, answers.of("mfvb").kappa_error->value);
  EXPECT_EQ(numbers[0].largest_shift, 0);  // against itself
  EXPECT_LT(numbers[1].largest_ratio, 1);  // independent normals are too narrow
  const std::vector<Repetition> again = study.repeat(asked);
  EXPECT_EQ(again[0].seconds, numbers[0].seconds);  // read
  Case changed = asked;
  changed.settings.push_back({"method.draws", "101"});
  EXPECT_NE(study.repeat(changed)[0].u_error, numbers[0].u_error);
}

TEST(Study, StopsWhenItsObserverSaysSoAndGoesOnLater) {
  const ScratchDirectory directory;
  StudyOptions options = options_in(directory);
  int calls = 0;
  double done = -1;
  options.observer = [&](const StudyProgress& progress) {
    EXPECT_GE(progress.done, done);
    done = progress.done;
    return ++calls < 4;
  };
  const Case asked{"truth", "prior", with_prior("0.2"), {Method::mfvb, Method::hmc}};
  {
    const Study study("lines", poisson_1d_problem(), options, 2);
    study.make_data("truth", 1, {});
    EXPECT_THROW(study.infer(asked), StudyInterrupted);
  }
  options.observer = nullptr;
  const Study study("lines", poisson_1d_problem(), options, 2);
  EXPECT_THAT(study.infer(asked).methods, SizeIs(2));
}

TEST(Study, TakesGivenData) {
  const ScratchDirectory directory;
  const Study study("benchmark", benchmark_problem(), options_in(directory), 1);
  study.put_data("data", benchmark_measurements(), benchmark_truth());
  const Answers answers = study.infer({"data", "prior", few_draws, {Method::laplace}});
  EXPECT_EQ(answers.problem.num_sensors(), 169);
  EXPECT_EQ(answers.problem.num_unknowns(), 64);
}

}  // namespace
}  // namespace varimesh::paper
