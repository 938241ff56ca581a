#pragma once

#include <optional>
#include <string>
#include <vector>

#include "varimesh/mesh/mesh.h"
#include "varimesh/paper/chapter.h"
#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"
#include "varimesh/types.h"

namespace varimesh::paper {

// Parts of a document (docs/document-data.md), as JSON.

/// Numbers packed as the page reads them: exact if there are few, else to 16 bits.
Json numbers(const Vector& values);

/// A label, with a logarithmic scale or one that includes zero if wanted.
Json axis(const std::string& label, bool log = false, bool zero = false);

/// The mean with a band of two sds on the cells of an interval, and the truth.
Json band_panel(const std::string& series, const mesh::Mesh& mesh, const result::FieldSummary& kappa,
                const std::optional<Vector>& truth);
/// Some draws of u over an interval, the true one, and the measurements.
Json solution_panel(const std::string& series, const mesh::Mesh& mesh, const Matrix& draws, const Vector& truth,
                    const result::SensorRecord& sensors);
/// A square matrix, as a heat map or as the pattern of its entries.
Json matrix_panel(const Matrix& matrix, bool pattern);
/// A field on a mesh that the document knows by this name; values of cells, or of nodes.
Json map_panel(const std::string& mesh, const Vector& values, bool at_nodes, const std::string& scale);
/// The densities of one quantity by several methods, of which at least one has a density, and its true value. The
/// highest peak may be cut off.
Json density_panel(const std::vector<std::pair<std::string, const result::QuantitySummary*>>& densities,
                   const std::string& label, std::optional<double> truth);

/// One bar: the median of repetitions, their quartiles, and each of them.
Json bar(const std::string& series, const std::vector<double>& repetitions);

/// Paragraphs.
Json text(const std::vector<std::string>& paragraphs);

/// A table; cells are text, numbers or null.
struct Table {
  std::string id, title, caption, note;  ///< the note may be empty
  std::vector<Json> columns;             ///< made by column()
};
Json column(const std::string& label, const std::string& group = "", int digits = 0);
Json table(const Table& words, const std::vector<std::vector<Json>>& rows);

/// A figure of panels, row by row; headings of rows and columns may be empty.
struct Figure {
  std::string id, title, caption;
  std::optional<Claim> claim;  ///< what the paper says of it, and what we find
  std::vector<std::string> rows, columns;
  Json shared = nullptr, scales = nullptr, legend = nullptr;  ///< as the page reads them
};
Json figure(const Figure& words, const std::vector<std::vector<Json>>& panels);

}  // namespace varimesh::paper
