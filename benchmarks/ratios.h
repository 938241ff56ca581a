#pragma once

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace varimesh::benchmarks {

/// A console report that ends with ratios: time of the baseline over time of ours, both from this run.
class RatioReporter : public benchmark::ConsoleReporter {
 public:
  struct Comparison {
    std::string ours, baseline;
  };
  explicit RatioReporter(std::vector<Comparison> comparisons) : comparisons_(std::move(comparisons)) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      // With repetitions the median stands for all.
      if (run.run_type == Run::RT_Aggregate && run.aggregate_name != "median") continue;
      seconds_[run.run_name.str()] = run.GetAdjustedRealTime() / GetTimeUnitMultiplier(run.time_unit);
    }
  }

  void Finalize() override {
    ConsoleReporter::Finalize();
    fmt::print("\n{:<44}{:<44}{:>8}\n", "ours", "baseline", "ratio");
    for (const Comparison& c : comparisons_) {
      const auto ours = seconds_.find(c.ours), baseline = seconds_.find(c.baseline);
      if (ours == seconds_.end() || baseline == seconds_.end()) continue;
      fmt::print("{:<44}{:<44}{:>8.2f}\n", c.ours, c.baseline, baseline->second / ours->second);
    }
  }

 private:
  static double GetTimeUnitMultiplier(benchmark::TimeUnit unit) { return benchmark::GetTimeUnitMultiplier(unit); }

  std::vector<Comparison> comparisons_;
  std::map<std::string, double> seconds_;
};

inline int run(int argc, char** argv, std::vector<RatioReporter::Comparison> comparisons) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  RatioReporter reporter(std::move(comparisons));
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}

}  // namespace varimesh::benchmarks
