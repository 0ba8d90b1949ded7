// Which delete files apply to a data file.
//
//   deletion vector    by the path of its data file; then no position delete file applies
//   position deletes   by path when they name one file (referenced_data_file, or equal bounds of
//   file_path), else by
//                      partition; data sequence number <= that of the deletes
//   equality deletes   by partition, or everywhere when their spec is unpartitioned; data sequence
//   number < that of the
//                      deletes; left out when counts and bounds prove that nothing matches
//
// Built once, then immutable: For is safe from several threads.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "spec/manifest.h"
#include "table/partition_types.h"

namespace iceblink::table {

struct DeleteFile {
  spec::DataFile file;
  int64_t sequence_number = 0;  // of the data
  friend bool operator==(const DeleteFile&, const DeleteFile&) = default;
};
using DeleteFilePtr = std::shared_ptr<const DeleteFile>;

// Returns the one data file that a position delete file or deletion vector speaks of, or nothing.
std::optional<std::string> ReferencedDataFile(const spec::DataFile& delete_file);

class DeleteIndex {
 public:
  DeleteIndex() = default;  // empty
  // `types` and `schema` (the table's current one, for equality columns) outlive the index.
  // Error: ValidationException "Can't index multiple DVs for %s: %s and %s".
  static Result<DeleteIndex> Build(std::vector<DeleteFilePtr> deletes, const PartitionTypes& types,
                                   const spec::Schema& schema);

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  bool has_equality_deletes() const { return has_equality_; }
  // The fields of all equality deletes: the data files' metrics that For looks at.
  const std::set<int32_t>& equality_field_ids() const { return equality_ids_; }

  // Returns the deletes that apply, global equality deletes first, then those of the partition,
  // then positions or the vector. Error: ValidationException "DV data sequence number (%s) must be
  // greater than or equal to data file sequence number (%s)".
  Result<std::vector<DeleteFilePtr>> For(const spec::DataFile& file,
                                         int64_t data_sequence_number) const;

  // Calls `visit` for each indexed delete file.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const DeleteFilePtr& d : all_) visit(*d);
  }

 private:
  using Group = std::vector<DeleteFilePtr>;  // ascending sequence numbers
  Status Insert(const DeleteFilePtr& file, const PartitionTypes& types);
  void SortAll();
  bool EqualityMayMatch(const spec::DataFile& file, const spec::DataFile& deletes) const;
  void AppendEquality(const Group& group, const spec::DataFile& file, int64_t sequence,
                      Group& out) const;

  size_t size_ = 0;
  bool has_equality_ = false;
  std::set<int32_t> equality_ids_;
  std::vector<DeleteFilePtr> all_;
  const spec::Schema* schema_ = nullptr;
  Group global_equality_;
  std::unordered_map<std::string, Group> equality_by_partition_;
  std::unordered_map<std::string, Group> positions_by_partition_;
  std::unordered_map<std::string, Group> positions_by_path_;
  std::unordered_map<std::string, DeleteFilePtr> vectors_by_path_;
};

}  // namespace iceblink::table
