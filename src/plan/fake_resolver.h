// FakeResolver: tables made of Spark DDL text, for tests of the analyzer.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/strings.h"
#include "plan/resolver.h"
#include "plan/types.h"
#include "sql/parser.h"

namespace iceblink::plan {

class FakeResolver : public Resolver {
 public:
  FakeResolver() { settings_.now_micros = 1'785'000'000'000'000; }

  // Adds demo.db.NAME with columns as in CREATE TABLE, partitioned by the columns in `partition`.
  void AddTable(const std::string& name, const std::string& ddl, const std::string& partition = {},
                int32_t version = 2) {
    int32_t id = 0;
    auto type = ToIcebergType(*sql::ParseTableSchema(ddl), [&id] { return ++id; });
    spec::Schema schema(type->AsStruct().fields);
    auto metadata = std::make_shared<spec::TableMetadata>();
    metadata->format_version = version;
    metadata->schemas = {schema};
    metadata->specs.emplace_back();
    for (const std::string& column : SplitTrimmed(partition, ','))
      metadata->specs[0].fields.push_back(
          {schema.FindField(column)->id,
           1000 + static_cast<int32_t>(metadata->specs[0].fields.size()), column,
           spec::Transform::Identity()});
    metadata->sort_orders.emplace_back();
    TableRef table;
    table.catalog = "demo";
    table.identifier = {"db", name};
    table.metadata = metadata;
    table.schema = std::make_shared<spec::Schema>(schema);
    table.snapshot_id = 1;
    tables_["demo.db." + name] = table;
  }
  // Makes a table known under another dotted name.
  void Rename(const std::string& from, const std::string& to) {
    TableRef table = tables_.at(from);
    tables_[to] = table;
  }
  void AddView(const std::string& name, const std::string& text) { views_[name] = text; }
  SessionSettings& mutable_settings() { return settings_; }

  const SessionSettings& settings() const override { return settings_; }
  Result<std::optional<ResolvedRelation>> Resolve(const RelationRequest& request) override {
    std::string name = iceblink::Join(request.name, ".");
    if (auto it = views_.find(name); it != views_.end())
      return TemporaryView{name, nullptr, it->second, {}};
    if (auto it = tables_.find(name); it != tables_.end()) {
      DataTable data{it->second, {}};
      if (request.version) data.table.time_travel = true;
      if (request.version) data.table.snapshot_id = ParseInt64(*request.version);
      if (request.options.contains("start-snapshot-id"))
        data.after_snapshot_id = ParseInt64(request.options.at("start-snapshot-id"));
      return data;
    }
    if (request.name.size() > 3)
      if (auto kind = table::ParseMetadataTableKind(request.name.back())) {
        sql::Name base(request.name.begin(), request.name.end() - 1);
        if (auto it = tables_.find(iceblink::Join(base, ".")); it != tables_.end())
          return MetadataTable{it->second, *kind};
      }
    return std::nullopt;
  }
  bool IsCatalog(const std::string& name) override { return name == "demo"; }
  Result<Value> Evaluate(const ExprPtr&) override {
    return Fail(ErrorCode::kUnsupported, "no executor in this test");
  }
  Result<std::vector<Column>> DescribeFiles(const FileScan&) override {
    return std::vector<Column>{{0, "_c0", DataType(sql::TypeKind::kString), true}};
  }
  ExprPtr FindVariable(const sql::Name&) override { return nullptr; }

 private:
  SessionSettings settings_;
  std::map<std::string, TableRef> tables_;
  std::map<std::string, std::string> views_;
};

}  // namespace iceblink::plan
