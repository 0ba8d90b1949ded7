// Partition specs and sort orders over a schema (specification: "Partitioning", "Sorting").
//
//   auto spec = PartitionSpec::Builder(schema).Day("created").Bucket("id", 16).Build();
//
// Immutable values: copying costs one shared pointer and any thread may read one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "iceblink/schema.h"

namespace iceblink {

namespace spec {
struct PartitionSpec;
struct SortOrder;
}  // namespace spec

// A transform as the specification writes it: "identity", "bucket[16]", "truncate[4]", "year",
// "month", "day", "hour", "void".
using TransformText = std::string;
TransformText Bucket(int32_t buckets);
TransformText Truncate(int32_t width);

struct PartitionField {
  std::string name;
  TransformText transform;
  int32_t source_id = 0;
  int32_t field_id = 0;
};

class PartitionSpec {
 public:
  class Builder;

  PartitionSpec();  // unpartitioned
  int32_t spec_id() const;
  bool is_unpartitioned() const;
  std::vector<PartitionField> fields() const;
  std::string ToString() const;

  explicit PartitionSpec(std::shared_ptr<const spec::PartitionSpec> rep) : rep_(std::move(rep)) {}
  const spec::PartitionSpec& rep() const { return *rep_; }  // for the library itself

 private:
  std::shared_ptr<const spec::PartitionSpec> rep_;
};

// Collects partition fields; an empty name asks for the automatic one. One thread.
class PartitionSpec::Builder {
 public:
  explicit Builder(Schema schema) : schema_(std::move(schema)) {}
  Builder& Identity(std::string column, std::string name = {});
  Builder& Year(std::string column, std::string name = {});
  Builder& Month(std::string column, std::string name = {});
  Builder& Day(std::string column, std::string name = {});
  Builder& Hour(std::string column, std::string name = {});
  Builder& Bucket(std::string column, int32_t buckets, std::string name = {});
  Builder& Truncate(std::string column, int32_t width, std::string name = {});
  // Error: kInvalidArgument for unknown columns, names that occur twice, types that a transform
  // does not take.
  Result<PartitionSpec> Build() const;

 private:
  struct Term {
    std::string column;
    TransformText transform;
    std::string name;
  };
  Builder& Add(std::string column, TransformText transform, std::string name);
  Schema schema_;
  std::vector<Term> terms_;
};

class SortOrder {
 public:
  class Builder;

  SortOrder();  // unsorted
  int32_t order_id() const;
  bool is_unsorted() const;
  std::string ToString() const;

  explicit SortOrder(std::shared_ptr<const spec::SortOrder> rep) : rep_(std::move(rep)) {}
  const spec::SortOrder& rep() const { return *rep_; }  // for the library itself

 private:
  std::shared_ptr<const spec::SortOrder> rep_;
};

enum class Nulls : uint8_t { kFirst, kLast };

// Collects sort fields, the most significant first. One thread.
class SortOrder::Builder {
 public:
  explicit Builder(Schema schema) : schema_(std::move(schema)) {}
  Builder& Asc(std::string column, Nulls nulls = Nulls::kFirst,
               TransformText transform = "identity");
  Builder& Desc(std::string column, Nulls nulls = Nulls::kLast,
                TransformText transform = "identity");
  // Error: kInvalidArgument for unknown columns and types that a transform does not take.
  Result<SortOrder> Build() const;

 private:
  friend class ReplaceSortOrder;
  struct Term {
    std::string column;
    TransformText transform;
    bool ascending = true;
    Nulls nulls = Nulls::kFirst;
  };
  Schema schema_;
  std::vector<Term> terms_;
};

}  // namespace iceblink
