#include "iceblink/partitioning.h"

#include "api/state.h"
#include "spec/partition_spec.h"
#include "spec/sort_order.h"

namespace iceblink {

TransformText Bucket(int32_t buckets) { return spec::Transform::Bucket(buckets).ToString(); }
TransformText Truncate(int32_t width) { return spec::Transform::Truncate(width).ToString(); }

PartitionSpec Wrap(spec::PartitionSpec spec) {
  return PartitionSpec(std::make_shared<const spec::PartitionSpec>(std::move(spec)));
}

SortOrder Wrap(spec::SortOrder order) {
  return SortOrder(std::make_shared<const spec::SortOrder>(std::move(order)));
}

PartitionSpec::PartitionSpec() : rep_(std::make_shared<const spec::PartitionSpec>()) {}
int32_t PartitionSpec::spec_id() const { return rep_->spec_id; }
bool PartitionSpec::is_unpartitioned() const { return rep_->is_unpartitioned(); }
std::string PartitionSpec::ToString() const { return rep_->ToString(); }

std::vector<PartitionField> PartitionSpec::fields() const {
  std::vector<PartitionField> out;
  for (const spec::PartitionField& field : rep_->fields)
    out.push_back({field.name, field.transform.ToString(), field.source_id, field.field_id});
  return out;
}

using SpecBuilder = PartitionSpec::Builder;

SpecBuilder& SpecBuilder::Add(std::string column, TransformText transform, std::string name) {
  terms_.push_back({std::move(column), std::move(transform), std::move(name)});
  return *this;
}
SpecBuilder& SpecBuilder::Identity(std::string column, std::string name) {
  return Add(std::move(column), "identity", std::move(name));
}
SpecBuilder& SpecBuilder::Year(std::string column, std::string name) {
  return Add(std::move(column), "year", std::move(name));
}
SpecBuilder& SpecBuilder::Month(std::string column, std::string name) {
  return Add(std::move(column), "month", std::move(name));
}
SpecBuilder& SpecBuilder::Day(std::string column, std::string name) {
  return Add(std::move(column), "day", std::move(name));
}
SpecBuilder& SpecBuilder::Hour(std::string column, std::string name) {
  return Add(std::move(column), "hour", std::move(name));
}
SpecBuilder& SpecBuilder::Bucket(std::string column, int32_t buckets, std::string name) {
  return Add(std::move(column), iceblink::Bucket(buckets), std::move(name));
}
SpecBuilder& SpecBuilder::Truncate(std::string column, int32_t width, std::string name) {
  return Add(std::move(column), iceblink::Truncate(width), std::move(name));
}

Result<PartitionSpec> SpecBuilder::Build() const {
  std::vector<spec::PartitionTerm> terms;
  for (const Term& term : terms_)
    terms.push_back({term.column, spec::Transform::Parse(term.transform), term.name});
  ASSIGN_OR_RETURN(spec::PartitionSpec built, spec::BuildPartitionSpec(schema_.rep(), terms));
  return Wrap(std::move(built));
}

SortOrder::SortOrder() : rep_(std::make_shared<const spec::SortOrder>()) {}
int32_t SortOrder::order_id() const { return rep_->order_id; }
bool SortOrder::is_unsorted() const { return rep_->is_unsorted(); }
std::string SortOrder::ToString() const { return rep_->ToString(); }

SortOrder::Builder& SortOrder::Builder::Asc(std::string column, Nulls nulls,
                                            TransformText transform) {
  terms_.push_back({std::move(column), std::move(transform), true, nulls});
  return *this;
}

SortOrder::Builder& SortOrder::Builder::Desc(std::string column, Nulls nulls,
                                             TransformText transform) {
  terms_.push_back({std::move(column), std::move(transform), false, nulls});
  return *this;
}

Result<SortOrder> SortOrder::Builder::Build() const {
  std::vector<spec::SortTerm> terms;
  for (const Term& term : terms_) {
    terms.push_back(
        {term.column, spec::Transform::Parse(term.transform),
         term.ascending ? spec::SortDirection::kAsc : spec::SortDirection::kDesc,
         term.nulls == Nulls::kFirst ? spec::NullOrder::kNullsFirst : spec::NullOrder::kNullsLast});
  }
  ASSIGN_OR_RETURN(spec::SortOrder built, spec::BuildSortOrder(schema_.rep(), terms));
  return Wrap(std::move(built));
}

}  // namespace iceblink
