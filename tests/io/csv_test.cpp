#include "varimesh/io/csv.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "varimesh/error.h"

namespace varimesh::io {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string error_of(const std::string& text) {
  try {
    parse_csv(text, "data.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Csv, ReadsColumnsAndRemembersLines) {
  const CsvTable table = parse_csv("# measured in May\nx,y,value\n\n0,0.5,1e-3\n# a pause\n1,+2.5,-7", "data.csv");
  EXPECT_EQ(table.source, "data.csv");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"x", "y", "value"}));
  EXPECT_EQ(table.values, (std::vector<std::vector<double>>{{0, 1}, {0.5, 2.5}, {1e-3, -7}}));
  EXPECT_EQ(table.lines, (std::vector<int>{4, 6}));
  EXPECT_EQ(table.num_rows(), 2u);
}

TEST(Csv, ToleratesByteOrderMarkCarriageReturnsSpacesAndQuotes) {
  const CsvTable table = parse_csv("\xEF\xBB\xBF\"x\" , \" value \"\r\n 1 ,\t\"2\" \r\n\r\n", "data.csv");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"x", "value"}));
  EXPECT_EQ(table.values, (std::vector<std::vector<double>>{{1}, {2}}));
}

TEST(Csv, FindsColumnsByName) {
  const CsvTable table = parse_csv("x,value\n1,2\n", "data.csv");
  EXPECT_EQ(table.find("value"), 1u);
  EXPECT_EQ(table.find("y"), std::nullopt);
  EXPECT_EQ(table.column("x"), std::vector<double>{1});
}

TEST(Csv, ListsTheColumnsWhenOneIsMissing) {
  const CsvTable table = parse_csv("x,y,value\n1,2,3\n", "data.csv");
  const auto message = [&](std::string_view name) {
    try {
      table.column(name);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("valeu"), "data.csv: expected a column 'valeu', found 'x', 'y', 'value'; did you mean 'value'?");
  EXPECT_EQ(message("count"), "data.csv: expected a column 'count', found 'x', 'y', 'value'");
}

TEST(Csv, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "data.csv: expected a header line of column names, found an empty file"},
      {"# only a comment\n", "data.csv: expected a header line of column names, found an empty file"},
      {"x,value\n", "data.csv:1: expected rows of numbers after the header, found none"},
      {"x,y,value\n1,2,3\n\n4,5\n", "data.csv:4: expected 3 values, found 2"},
      {"value\n1,2\n", "data.csv:2: expected 1 value, found 2"},
      {"x,value\n1,2,\n", "data.csv:2: expected 2 values, found 3"},
      {"x,value\n1,2\n#\n1,abc\n", "data.csv:4: column 'value': expected a number, found 'abc'"},
      {"x,value\n1,\n", "data.csv:2: column 'value': expected a number, found an empty cell"},
      {"value\nnan\n", "data.csv:2: column 'value': expected a number, found 'nan'"},
      {"value\n-inf\n", "data.csv:2: column 'value': expected a number, found '-inf'"},
      {"value\n1e999\n", "data.csv:2: column 'value': expected a number, found '1e999'"},
      {"value\n1.5x\n", "data.csv:2: column 'value': expected a number, found '1.5x'"},
      {"value\n+-1\n", "data.csv:2: column 'value': expected a number, found '+-1'"},
      {"value\n0x10\n", "data.csv:2: column 'value': expected a number, found '0x10'"},
      {"value\n1 2\n", "data.csv:2: column 'value': expected a number, found '1 2'"},
      {"x,y,x\n1,2,3\n", "data.csv:1: column 'x' appears twice"},
      {"x,,y\n1,2,3\n", "data.csv:1: column 2: expected a name, found an empty cell"},
      {"0.5,1\n2,3\n", "data.csv:1: column 1: expected a name in the header line, found the number '0.5'"},
      {"x\"y\n1\n", "data.csv:1: expected quotes only around a whole cell, and doubled inside, found 'x\"y'"},
      {"\"x\"y\n1\n", "data.csv:1: expected quotes only around a whole cell, and doubled inside, found '\"x\"y'"},
      {"x\n\"1\n", "data.csv:2: expected quotes only around a whole cell, and doubled inside, found '\"1'"},
      {"value\n" + std::string(100, 'a') + "\n",
       "data.csv:2: column 'value': expected a number, found '" + std::string(60, 'a') + "...'"},
      {std::string("value\na\0b\n", 10), "data.csv:2: column 'value': expected a number, found 'a b'"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(error_of(text), message) << text;
}

TEST(Csv, BoundsColumnsAndLineLength) {
  std::string header = "a0";
  for (int i = 1; i <= 100'000; ++i) header += ",a" + std::to_string(i);
  EXPECT_EQ(error_of(header + "\n1\n"), "data.csv:1: expected at most 100000 columns, found more");
  EXPECT_EQ(error_of("x\n" + std::string((16 << 20) + 1, '1')),
            "data.csv:2: expected at most 16777216 characters in a line");
}

TEST(Csv, KeepsColumnsOfTextWithCommasAndQuotes) {
  const auto is_text = [](std::string_view column) { return column == "well"; };
  const CsvTable table = parse_csv("x,well,value\n1,\"A, \"\"deep\"\"\",2\n3, B 7 ,4\n5,,6\n", "data.csv", is_text);
  EXPECT_THAT(table.texts[1], ElementsAre("A, \"deep\"", "B 7", ""));
  EXPECT_THAT(table.values[1], IsEmpty());
  EXPECT_THAT(table.column("value"), ElementsAre(2, 4, 6));
  const std::string written = format_csv("well", table.texts[1], {"a,b"}, {{1, 2, 3}});
  EXPECT_EQ(written, "well,\"a,b\"\n\"A, \"\"deep\"\"\",1\nB 7,2\n,3\n");
  EXPECT_EQ(parse_csv(written, "again.csv", is_text).texts[0], table.texts[1]);
}

TEST(Csv, WritesShortestDigits) {
  EXPECT_EQ(format_csv({"x", "value"}, {{1, 0.1, -2}, {1e300, 0.30000000000000004, 0}}),
            "x,value\n1,1e+300\n0.1,0.30000000000000004\n-2,0\n");
}

TEST(Csv, RoundTripsRandomNumbersExactly) {
  std::mt19937_64 random(1);
  std::vector<std::vector<double>> values(2);
  while (values[0].size() < 10'000) {
    const auto number = std::bit_cast<double>(random());
    if (std::isfinite(number)) values[0].push_back(number);
  }
  values[0].insert(values[0].end(), {-0.0, 5e-324, 1.7976931348623157e308, 1e15, 123456789012345678.0});
  for (std::size_t i = 0; i < values[0].size(); ++i) values[1].push_back(std::ldexp(double(random() >> 11), -53));
  const CsvTable table = parse_csv(format_csv({"a", "b"}, values), "data.csv");
  for (std::size_t column = 0; column < 2; ++column) {
    ASSERT_EQ(table.values[column].size(), values[column].size());
    for (std::size_t i = 0; i < values[column].size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(table.values[column][i]), std::bit_cast<std::uint64_t>(values[column][i]));
    }
  }
}

TEST(Csv, RefusesAFileThatIsNotThere) { EXPECT_THROW(read_csv("no_such_file.csv"), InputError); }

}  // namespace
}  // namespace varimesh::io
