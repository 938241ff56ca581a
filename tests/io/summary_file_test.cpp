#include "varimesh/io/summary_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "expect_input_error.h"
#include "records.h"

namespace varimesh::io {
namespace {

using Json = nlohmann::ordered_json;
using test::SampleFamily;

struct Records {
  result::ProblemRecord problem;
  result::MethodRecord method;
};

Records parse(const std::string& text) {
  Records records;
  parse_summary(text, "summary.json", records.problem, records.method);
  return records;
}

void expect_equal(const std::optional<result::Estimate>& a, const std::optional<result::Estimate>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_EQ(a->value, b->value);
  EXPECT_EQ(a->error, b->error);
}

void expect_equal(const result::ProblemRecord& a, const result::ProblemRecord& b) {
  EXPECT_EQ(a.labels.title, b.labels.title);
  EXPECT_EQ(a.labels.u, b.labels.u);
  EXPECT_EQ(a.labels.length_unit, b.labels.length_unit);
  EXPECT_EQ(a.labels.u_unit, b.labels.u_unit);
  EXPECT_EQ(a.labels.conductivity, b.labels.conductivity);
  EXPECT_EQ(a.labels.conductivity_unit, b.labels.conductivity_unit);
  EXPECT_EQ(a.labels.flux_unit, b.labels.flux_unit);
  EXPECT_EQ(a.words.equation, b.words.equation);
  EXPECT_EQ(a.words.mesh, b.words.mesh);
  EXPECT_EQ(a.words.sensors, b.words.sensors);
  EXPECT_EQ(a.words.prior, b.words.prior);
  EXPECT_EQ(a.words.noise, b.words.noise);
  EXPECT_EQ(a.fingerprint, b.fingerprint);
  ASSERT_EQ(a.quantities.size(), b.quantities.size());
  for (std::size_t i = 0; i < a.quantities.size(); ++i) {
    EXPECT_EQ(a.quantities[i].name, b.quantities[i].name);
    EXPECT_EQ(a.quantities[i].label, b.quantities[i].label);
  }
}

void expect_equal_diagnostics(const result::MethodRecord& a, const result::MethodRecord& b) {
  ASSERT_EQ(a.khat.has_value(), b.khat.has_value());
  if (a.khat) {
    EXPECT_EQ(a.khat->value, b.khat->value);
    EXPECT_EQ(a.khat->threshold, b.khat->threshold);
    EXPECT_EQ(a.khat->verdict, b.khat->verdict);
  }
  ASSERT_EQ(a.chains.has_value(), b.chains.has_value());
  if (a.chains) {
    EXPECT_EQ(a.chains->chains, b.chains->chains);
    EXPECT_EQ(a.chains->draws, b.chains->draws);
    EXPECT_EQ(a.chains->rhat, b.chains->rhat);
    EXPECT_EQ(a.chains->ess_bulk, b.chains->ess_bulk);
    EXPECT_EQ(a.chains->ess_tail, b.chains->ess_tail);
    EXPECT_EQ(a.chains->acceptance, b.chains->acceptance);
    EXPECT_EQ(a.chains->e_bfmi, b.chains->e_bfmi);
    EXPECT_EQ(a.chains->divergences, b.chains->divergences);
  }
  ASSERT_EQ(a.trust.size(), b.trust.size());
  for (std::size_t i = 0; i < a.trust.size(); ++i) {
    EXPECT_EQ(a.trust[i].level, b.trust[i].level);
    EXPECT_EQ(a.trust[i].headline, b.trust[i].headline);
    EXPECT_EQ(a.trust[i].explanation, b.trust[i].explanation);
    EXPECT_EQ(a.trust[i].action, b.trust[i].action);
  }
}

void expect_equal(const result::PriorSensitivity& a, const result::PriorSensitivity& b) {
  EXPECT_EQ(a.skipped, b.skipped);
  EXPECT_EQ(a.quantity_mean, b.quantity_mean);
  EXPECT_EQ(a.quantity_sd, b.quantity_sd);
  EXPECT_EQ(a.shown, b.shown);
  ASSERT_EQ(a.alternatives.size(), b.alternatives.size());
  for (std::size_t k = 0; k < a.alternatives.size(); ++k) {
    const result::PriorAlternative &x = a.alternatives[k], &y = b.alternatives[k];
    EXPECT_EQ(x.change, y.change);
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.failure, y.failure);
    EXPECT_EQ(x.log_evidence, y.log_evidence);
    EXPECT_EQ(x.field_shift, y.field_shift);
    EXPECT_EQ(x.own_shift, y.own_shift);
    EXPECT_EQ(x.unknown, y.unknown);
    EXPECT_EQ(x.outside, y.outside);
    EXPECT_EQ(x.sd_ratio, y.sd_ratio);
    EXPECT_EQ(x.held, y.held);
    EXPECT_EQ(x.quantity_mean, y.quantity_mean);
    EXPECT_EQ(x.quantity_sd, y.quantity_sd);
    EXPECT_EQ(x.quantity_shift, y.quantity_shift);
    EXPECT_EQ(x.quantity_held, y.quantity_held);
  }
}

void expect_equal(const result::MethodRecord& a, const result::MethodRecord& b) {
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.description, b.description);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.seed, b.seed);
  ASSERT_EQ(a.settings.size(), b.settings.size());
  for (std::size_t i = 0; i < a.settings.size(); ++i) {
    EXPECT_EQ(a.settings[i].key, b.settings[i].key);
    EXPECT_EQ(a.settings[i].value, b.settings[i].value);
  }
  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.phases, b.phases);
  EXPECT_EQ(a.counts, b.counts);
  EXPECT_EQ(a.leave_one_out.matched, b.leave_one_out.matched);
  ASSERT_EQ(a.leave_one_out.worst.size(), b.leave_one_out.worst.size());
  for (std::size_t i = 0; i < a.leave_one_out.worst.size(); ++i) {
    EXPECT_EQ(a.leave_one_out.worst[i].sensor, b.leave_one_out.worst[i].sensor);
    EXPECT_EQ(a.leave_one_out.worst[i].field, b.leave_one_out.worst[i].field);
    EXPECT_EQ(a.leave_one_out.worst[i].quantities, b.leave_one_out.worst[i].quantities);
  }
  EXPECT_EQ(a.mesh_check.refined_cells, b.mesh_check.refined_cells);
  EXPECT_EQ(a.mesh_check.skipped, b.mesh_check.skipped);
  EXPECT_EQ(a.mesh_check.quantities, b.mesh_check.quantities);
  EXPECT_EQ(a.mesh_check.quantities_before, b.mesh_check.quantities_before);
  expect_equal(a.prior_sensitivity, b.prior_sensitivity);
  expect_equal(a.elbo, b.elbo);
  expect_equal(a.kappa_error, b.kappa_error);
  expect_equal(a.u_error, b.u_error);
  expect_equal_diagnostics(a, b);
  ASSERT_EQ(a.quantities.size(), b.quantities.size());
  for (std::size_t i = 0; i < a.quantities.size(); ++i) {
    EXPECT_EQ(a.quantities[i].mean, b.quantities[i].mean);
    EXPECT_EQ(a.quantities[i].sd, b.quantities[i].sd);
    EXPECT_EQ(a.quantities[i].q05, b.quantities[i].q05);
    EXPECT_EQ(a.quantities[i].q50, b.quantities[i].q50);
    EXPECT_EQ(a.quantities[i].q95, b.quantities[i].q95);
  }
}

TEST(SummaryFile, ReadsBackWhatItWrote) {
  for (const int dimension : {1, 2, 3}) {
    const auto problem = test::sample_problem(dimension);
    auto fit = test::sample_fit(problem, SampleFamily::diagonal);
    fit.seed = std::numeric_limits<std::uint64_t>::max();
    fit.seconds = 0.1 + 0.2;
    for (const auto& method : {fit, test::sample_chains(problem)}) {
      const Records again = parse(format_summary(problem, method));
      expect_equal(again.problem, problem);
      expect_equal(again.method, method);
    }
  }
}

TEST(SummaryFile, WritesAMethodThatEndedBeforeItsAnswer) {
  const auto problem = test::sample_problem(2);
  result::MethodRecord method;
  method.method = "nuts";
  const Records again = parse(format_summary(problem, method));
  expect_equal(again.problem, problem);
  expect_equal(again.method, method);
  EXPECT_EQ(again.method.status, result::Status::interrupted);
}

TEST(SummaryFile, IsIndentedAndInOrder) {
  const auto problem = test::sample_problem(2);
  const std::string text = format_summary(problem, test::sample_fit(problem, SampleFamily::diagonal));
  EXPECT_TRUE(text.starts_with("{\n  \"schema\": 2,\n  \"version\": \"0.1.0\",\n  \"method\": \"pmvb\",\n"));
  EXPECT_TRUE(text.ends_with("\n  }\n}\n"));
  const Json file = Json::parse(text);
  EXPECT_EQ(file["status"], "converged");
  EXPECT_EQ(file["settings"].dump(), R"({"use":"pmvb","fit.tolerance":0.01,"fit.first_derivatives_only":false})");
  EXPECT_EQ(file["counts"]["solves"], 9);
  EXPECT_EQ(file["chains"], nullptr);
  EXPECT_EQ(file["leave_one_out"]["worst"][0]["quantity_shifts"][0], -0.25);
  EXPECT_EQ(file["mesh_check"]["quantity_changes"][0], 0.125);
  EXPECT_EQ(file["quantities"][0]["truth"], problem.truth->quantities[0]);
  EXPECT_EQ(file["problem"]["dimension"], 2);
  EXPECT_EQ(file["problem"]["cell_type"], "triangle");
  EXPECT_EQ(file["problem"]["cells"], 24);
  EXPECT_EQ(file["problem"]["nodes"], 20);
  EXPECT_EQ(file["problem"]["unknowns"], 24);
  EXPECT_EQ(file["problem"]["sensors"], 7);
  EXPECT_EQ(file["problem"]["measurements"], 35);
}

TEST(SummaryFile, LeavesOutTheTruthIfItIsUnknown) {
  auto problem = test::sample_problem(1);
  problem.truth.reset();
  problem.sensors = {};
  const Json file = Json::parse(format_summary(problem, test::sample_chains(problem)));
  EXPECT_FALSE(file["quantities"][0].contains("truth"));
  EXPECT_EQ(file["problem"]["measurements"], 0);
}

TEST(SummaryFile, WritesNumbersThatAreNotFiniteAsNull) {
  const auto problem = test::sample_problem(1);
  auto method = test::sample_chains(problem);
  method.chains->rhat = std::numeric_limits<double>::infinity();
  method.chains->e_bfmi = std::nan("");
  method.elbo = {std::nan(""), std::nan("")};
  method.quantities[1].sd = std::nan("");
  const Records again = parse(format_summary(problem, method));
  EXPECT_TRUE(std::isnan(again.method.chains->rhat));
  EXPECT_TRUE(std::isnan(again.method.chains->e_bfmi));
  ASSERT_TRUE(again.method.elbo);
  EXPECT_TRUE(std::isnan(again.method.elbo->value));
  EXPECT_TRUE(std::isnan(again.method.quantities[1].sd));
}

TEST(SummaryFile, ReplacesBytesThatAreNotText) {
  auto problem = test::sample_problem(1);
  auto method = test::sample_chains(problem);
  problem.labels.title = "caf\xE9";
  method.settings = {{"\xFF", std::string("\xC3")}};
  const Records again = parse(format_summary(problem, method));
  EXPECT_EQ(again.problem.labels.title, "caf\uFFFD");
  EXPECT_EQ(again.method.settings[0].key, "\uFFFD");
}

TEST(SummaryFile, KeepsTheArraysOfTheRecords) {
  auto problem = test::sample_problem(1);
  auto method = test::sample_fit(problem, SampleFamily::diagonal);
  const Vector density = method.quantities[0].density;
  parse_summary(format_summary(problem, method), "summary.json", problem, method);
  EXPECT_EQ(method.quantities[0].density, density);
  EXPECT_EQ(problem.mesh.num_cells(), 12);
  EXPECT_TRUE(problem.truth);
  EXPECT_TRUE(method.has_answer());
}

class SummaryFileFault : public testing::Test {
 protected:
  /// What is said of a good file after `change`.
  template <class Change>
  std::string after(const Change& change) {
    Json file = good_;
    change(file);
    return test::input_error([&] { parse(file.dump()); });
  }

  Json good_ = [] {
    const auto problem = test::sample_problem(1);
    auto method = test::sample_fit(problem, SampleFamily::diagonal);
    method.chains = result::ChainsRecord{};
    return Json::parse(format_summary(problem, method));
  }();
};

TEST_F(SummaryFileFault, NamesTheKeyWithWhatWasExpectedAndFound) {
  EXPECT_EQ(after([](Json&) {}), "");
  EXPECT_EQ(after([](Json& file) { file.erase("name"); }), "summary.json: name: expected a string, found nothing");
  EXPECT_EQ(after([](Json& file) { file["khat"]["value"] = "0.4"; }),
            "summary.json: khat.value: expected a number or null, found '0.4'");
  EXPECT_EQ(after([](Json& file) { file["elbo"] = 5; }), "summary.json: elbo: expected an object, found 5");
  EXPECT_EQ(after([](Json& file) { file.erase("elbo"); }), "summary.json: elbo: expected a value, found nothing");
  EXPECT_EQ(after([](Json& file) { file["trust"][1].erase("action"); }),
            "summary.json: trust[1].action: expected a string, found nothing");
  EXPECT_EQ(after([](Json& file) { file["trust"] = Json::object(); }),
            "summary.json: trust: expected an array, found an object");
  EXPECT_EQ(after([](Json& file) { file["trust"][0]["level"] = "fine"; }),
            "summary.json: trust[0].level: expected one of 'good', 'warn', 'bad', found 'fine'");
  EXPECT_EQ(after([](Json& file) { file["status"] = "done"; }),
            "summary.json: status: expected one of 'converged', 'iteration_limit', 'diverged', 'interrupted', "
            "'completed', found 'done'");
  EXPECT_EQ(after([](Json& file) { file["counts"]["values"] = -1; }),
            "summary.json: counts.values: expected an integer from 0 to 9007199254740992, found -1");
  EXPECT_EQ(after([](Json& file) { file["chains"]["draws"] = 2147483648; }),
            "summary.json: chains.draws: expected an integer from 0 to 2147483647, found 2147483648");
  EXPECT_EQ(after([](Json& file) { file["seed"] = 1.5; }),
            "summary.json: seed: expected an integer from 0 to 18446744073709551615, found 1.5");
  EXPECT_EQ(after([](Json& file) { file["settings"]["fit.tolerance"] = Json::array(); }),
            "summary.json: settings['fit.tolerance']: expected a boolean, a number, a string or null, found an array");
  EXPECT_EQ(after([](Json& file) { file["quantities"][1].erase("q50"); }),
            "summary.json: quantities[1].q50: expected a number or null, found nothing");
  EXPECT_EQ(after([](Json& file) { file["problem"]["labels"]["u"] = nullptr; }),
            "summary.json: problem.labels.u: expected a string, found null");
  EXPECT_EQ(after([](Json& file) { file = 7; }), "summary.json: expected an object, found 7");
}

TEST_F(SummaryFileFault, MethodIsANameAndNotAPath) {
  for (const std::string path : {"../x", "/tmp/x", "..", "a/b", "", "a\\b"})
    EXPECT_EQ(after([&](Json& file) { file["method"] = path; }),
              "summary.json: method: expected a name of letters, digits, '_', '-', found '" + path + "'");
}

/// Each key is needed but those that only inform, and those that older files do not have.
TEST_F(SummaryFileFault, MissesEveryKey) {
  for (const auto& [key, value] : good_.items()) {
    const bool newer = key == "rank" || key == "verdict" || key == "leave_one_out" || key == "mesh_check" ||
                       key == "prior_sensitivity";
    EXPECT_EQ(after([&](Json& file) { file.erase(key); }) == "", newer) << key;
    if (!value.is_object() || key == "settings" || key == "phases") continue;
    for (const auto& [inner, unused] : value.items()) {
      const bool informs = inner == "solves" || inner == "dimension" || inner == "cell_type" ||
                           inner == "measurements" || inner == "elpd" || inner == "linearized" ||
                           inner == "unreliable" || inner == "fields" || inner == "scalars" ||
                           inner == "largest_share" || inner == "root_mean_square_share";
      EXPECT_EQ(after([&](Json& file) { file[key].erase(inner); }) == "", informs) << key << '.' << inner;
    }
  }
}

TEST_F(SummaryFileFault, OfAnotherSchemaSaysWhichVersionIsNeeded) {
  const auto newer = [](Json& file) {
    file["schema"] = 3;
    file["version"] = "3.1.4";
  };
  EXPECT_EQ(after(newer),
            "summary.json: schema: expected 2, found 3: to read it, use varimesh 3.1.4, which wrote it, or later");
  EXPECT_EQ(after([](Json& file) { file["schema"] = 0; }), "summary.json: schema: expected 2, found 0");
}

TEST(SummaryFileText, ThatIsNotJsonIsRefusedWithItsPlace) {
  EXPECT_INPUT_ERROR(parse(""), "summary.json:1: expected JSON, found an error in column 1");
  EXPECT_INPUT_ERROR(parse("{\n  \"schema\": ,"), "summary.json:2: expected JSON, found an error in column 13");
  EXPECT_INPUT_ERROR(parse("{\"schema\": 1e999}"), "summary.json: expected numbers below 1.8e308");
  EXPECT_INPUT_ERROR(parse("]]}}"), "summary.json:1: expected JSON, found an error in column 1");
}

TEST(SummaryFileText, IsBounded) {
  EXPECT_INPUT_ERROR(parse(std::string(1 << 20, '[')), "summary.json: expected JSON that nests at most 64 deep");
  std::string wide = "{\"[\\\"[\":0";
  for (int i = 0; i < 1000; ++i) wide += ",\"" + std::to_string(i) + "\":0";
  EXPECT_INPUT_ERROR(parse(wide + '}'), "summary.json: expected objects of at most 1000 members");
}

}  // namespace
}  // namespace varimesh::io
