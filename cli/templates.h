#pragma once

#include <string_view>
#include <vector>

namespace varimesh::cli {

/// A file of an example.
struct TemplateFile {
  std::string_view name, bytes;
};

/// A problem to begin with: a file problem.toml and those that it needs. Data it lacks are to be simulated.
struct Template {
  std::string_view kind, description;
  std::vector<TemplateFile> files;
  bool has_data;
};

/// The examples of the project, as they were when the program was built.
const std::vector<Template>& templates();

}  // namespace varimesh::cli
