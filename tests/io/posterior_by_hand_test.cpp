// Files of posterior_file.h that somebody else wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../expect_input_error.h"
#include "../scratch_directory.h"
#include "varimesh/io/netcdf.h"
#include "varimesh/io/posterior_file.h"

namespace varimesh::io {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Files that are sound NetCDF, but say what cannot be: made by hand, for two cells of an interval.
class PosteriorFileByHand : public testing::Test {
 protected:
  std::filesystem::path file() const { return scratch_.path() / "posterior.nc"; }

  static void add(const NetcdfGroup& group, const std::string& name, const std::vector<std::size_t>& shape,
                  const std::vector<double>& values) {
    std::vector<std::string> dimensions;
    for (const std::size_t length : shape) {
      dimensions.push_back(name + "_" + std::to_string(dimensions.size()));
      group.add_dimension(dimensions.back(), length);
    }
    const NetcdfVariable variable = group.add_variable(name, dimensions);
    if (name == "cells") variable.set("cell_type", "line");
    if (!values.empty()) variable.write(values);
  }

  /// What reading a file complains about that differs from a good one in this variable of constant_data, and in what
  /// `more` adds.
  std::string complaint(
      const std::string& different, const std::vector<std::size_t>& shape, const std::vector<double>& values,
      const std::function<void(const NetcdfGroup&)>& more = [](const NetcdfGroup&) {}) const {
    {
      NetcdfFile netcdf(file(), NetcdfFile::Mode::create);
      netcdf.root().set("schema", different == "schema" ? 2 : 1);
      const NetcdfGroup group = netcdf.root().add_group("constant_data");
      const auto put = [&](const std::string& name, const std::vector<std::size_t>& usual_shape,
                           const std::vector<double>& usual) {
        add(group, name, name == different ? shape : usual_shape, name == different ? values : usual);
      };
      put("nodes", {3, 1}, {0, 1, 2});
      put("cells", {2, 2}, {0, 1, 1, 2});
      put("unknown_of_cell", {2}, {0, 1});
      put("cell_x", {2}, {0.5, 1.5});
      netcdf.root().add_group("summary");
      more(netcdf.root());
      netcdf.finish();
    }
    result::ProblemRecord problem;
    result::MethodRecord method;
    const std::string message = test::input_error([&] { read_posterior(file(), problem, method); });
    return message.starts_with(file().string() + ": ") ? message.substr(file().string().size() + 2) : message;
  }

  std::string complaint(const std::function<void(const NetcdfGroup&)>& more) const {
    return complaint("", {}, {}, more);
  }

  test::ScratchDirectory scratch_;
};

TEST_F(PosteriorFileByHand, IsGoodAsItStands) { EXPECT_EQ(complaint("", {}, {}), ""); }

TEST_F(PosteriorFileByHand, OtherSchemasAreRefused) {
  EXPECT_EQ(complaint("schema", {}, {}), "/: expected the attribute schema to be 1, found 2");
}

TEST_F(PosteriorFileByHand, MeshesThatCannotBeAreRefused) {
  EXPECT_EQ(complaint("nodes", {3, 2}, {0, 1, 2, 3, 4, 5}),
            "constant_data/nodes: expected 1 coordinates for each node");
  EXPECT_EQ(complaint("nodes", {3, 1}, {0, NAN, 2}), "constant_data: node 1 has a coordinate that is not finite");
  EXPECT_EQ(complaint("cells", {2, 2}, {0, 1, 1, 3}),
            "constant_data/cells: expected whole numbers from 0 to 2, found 3");
  EXPECT_EQ(complaint("cells", {2, 2}, {0, 1, 1, -1}),
            "constant_data/cells: expected whole numbers from 0 to 2, found -1");
  EXPECT_EQ(complaint("cells", {2, 2}, {0, 1, 1, NAN}),
            "constant_data/cells: expected whole numbers from 0 to 2, found nan");
  EXPECT_EQ(complaint("cells", {4}, {0, 1, 1, 2}), "constant_data/cells: expected 2 nodes for each cell");
  EXPECT_EQ(complaint("unknown_of_cell", {2}, {0, 2}),
            "constant_data/unknown_of_cell: expected whole numbers from 0 to 1, found 2");
  EXPECT_EQ(complaint("unknown_of_cell", {3}, {0, 1, 1}),
            "constant_data/unknown_of_cell: expected an array of 2 numbers, found 3");
  EXPECT_EQ(complaint("cell_x", {2}, {0, INFINITY}), "constant_data/cell_x: expected finite numbers");
}

TEST_F(PosteriorFileByHand, UnknownsElsewhereAreRefused) {
  const auto at = [&](const char* place) {
    return complaint([&](const NetcdfGroup& root) { root.group("constant_data").set("unknowns", place); });
  };
  EXPECT_EQ(at("cells"), "");
  EXPECT_EQ(at("nodes"), "");
  EXPECT_EQ(at("edges"), "constant_data: expected the attribute unknowns to be 'cells' or 'nodes', found 'edges'");
}

TEST_F(PosteriorFileByHand, DrawsOfAnotherSizeAreRefused) {
  const auto draws = [&](const std::vector<std::size_t>& kappa, const std::vector<std::size_t>& lp) {
    return complaint([&](const NetcdfGroup& root) {
      add(root.add_group("posterior"), "kappa", kappa, {});
      add(root.add_group("sample_stats"), "lp", lp, {});
    });
  };
  EXPECT_EQ(draws({1, 4, 2}, {1, 4}), "");
  EXPECT_EQ(draws({1, 4, 3}, {1, 4}), "posterior/kappa: expected 2 unknowns of chains of draws");
  EXPECT_EQ(draws({4, 2}, {1, 4}), "posterior/kappa: expected 2 unknowns of chains of draws");
  EXPECT_EQ(draws({1, 4, 2}, {4, 1}), "sample_stats/lp: expected an array of 1 x 4 numbers, found 4 x 1");
}

TEST_F(PosteriorFileByHand, MoreNumbersThanAFileCanHoldAreRefused) {
  const std::string text = complaint([](const NetcdfGroup& root) {
    const NetcdfGroup group = root.add_group("posterior");
    group.add_dimension("chain", 1'000'000'000);
    group.add_dimension("cell", 2);
    group.add_variable("kappa", {"chain", "chain", "cell"}, NetcdfType::int8);
  });
  EXPECT_THAT(text, StartsWith("posterior/kappa: expected from 1 to "));
  EXPECT_THAT(text, testing::EndsWith("found 1000000000 x 1000000000 x 2"));
}

TEST_F(PosteriorFileByHand, ArraysThatWereDeclaredOnlyAreRefused) {
  const std::string text = complaint([](const NetcdfGroup& root) {
    const NetcdfGroup group = root.add_group("posterior");
    group.add_dimension("chain", 1);
    group.add_dimension("draw", 1'000'000);  // 16 MB of doubles in some 20 kB
    group.add_dimension("cell", 2);
    group.add_variable("kappa", {"chain", "draw", "cell"});
  });
  EXPECT_THAT(text, StartsWith("posterior/kappa: expected from 1 to "));
  EXPECT_THAT(text, testing::EndsWith("found 1 x 1000000 x 2"));
}

TEST_F(PosteriorFileByHand, ApproximationsThatCannotBeAreRefused) {
  const auto fit = [&](const std::string& kind, const std::map<std::string, std::vector<double>>& arrays,
                       std::size_t columns = 0) {
    return complaint([&](const NetcdfGroup& root) {
      const NetcdfGroup group = root.add_group("approximation");
      group.set("kind", kind);
      for (const auto& [name, values] : arrays)
        add(group, name, name == "factor" ? Shape{values.size() / columns, columns} : Shape{values.size()}, values);
    });
  };
  EXPECT_EQ(fit("diagonal", {{"mean", {0, 1}}, {"sd", {1, 1}}}), "");
  EXPECT_EQ(fit("diagonal", {{"mean", {0, 1}}}), "approximation: expected a variable sd, found none");
  EXPECT_EQ(fit("diagonal", {{"mean", {0, 1, 2}}, {"sd", {1, 1}}}),
            "approximation/mean: expected an array of 2 numbers, found 3");
  EXPECT_THAT(fit("diagonal", {{"mean", {0, NAN}}, {"sd", {1, 1}}}), StartsWith("approximation: expected "));
  EXPECT_THAT(fit("diagonal", {{"mean", {0, 1}}, {"sd", {1, 0}}}), StartsWith("approximation: expected "));
  EXPECT_EQ(fit("dense", {{"mean", {0, 1}}, {"factor", {1, 0, 1, 1}}}, 2), "");
  EXPECT_EQ(fit("dense", {{"mean", {0, 1}}, {"factor", {1, 0, 1, 1}}}, 4),
            "approximation/factor: expected an array of 2 x 2 numbers, found 1 x 4");
  EXPECT_EQ(fit("dense", {{"mean", {0, 1}}, {"factor", {1, 0, NAN, 1}}}, 2),
            "approximation/factor: expected finite numbers");
  EXPECT_EQ(fit("other", {{"mean", {0, 1}}}),
            "approximation: expected the kind 'diagonal', 'dense', 'sparse' or 'low_rank', found 'other'");

  const auto sparse = [&](const std::vector<double>& order, const std::vector<double>& indptr,
                          const std::vector<double>& indices, const std::vector<double>& values) {
    return fit("sparse",
               {{"mean", {0, 1}}, {"order", order}, {"indptr", indptr}, {"indices", indices}, {"values", values}});
  };
  EXPECT_EQ(sparse({1, 0}, {0, 2, 3}, {0, 1, 1}, {1, 0.5, 1}), "");
  EXPECT_EQ(sparse({1, 1}, {0, 2, 3}, {0, 1, 1}, {1, 0.5, 1}),
            "approximation/order: expected every unknown once, found 1 twice");
  EXPECT_EQ(sparse({1, 0}, {0, 3, 2}, {0, 1, 1}, {1, 0.5, 1}),
            "approximation/indptr: expected ascending numbers from 0 to 3");
  EXPECT_EQ(sparse({1, 0}, {0, 2, 3}, {1, 0, 1}, {1, 0.5, 1}),
            "approximation/indices: expected the rows of column 0 ascending from the diagonal");
  EXPECT_EQ(sparse({1, 0}, {0, 2, 3}, {0, 2, 1}, {1, 0.5, 1}),
            "approximation/indices: expected whole numbers from 0 to 1, found 2");
  EXPECT_EQ(sparse({1, 0}, {0, 2, 3}, {0, 1, 1}, {1, 0.5}),
            "approximation/values: expected an array of 3 numbers, found 2");
  EXPECT_THAT(sparse({1, 0}, {0, 2, 3}, {0, 1, 1}, {1, NAN, 1}), StartsWith("approximation: expected a factor"));
  EXPECT_THAT(sparse({1, 0}, {0, 2, 3}, {0, 1, 1}, {1, 0.5, -1}), StartsWith("approximation: expected a factor"));
}

}  // namespace
}  // namespace varimesh::io
