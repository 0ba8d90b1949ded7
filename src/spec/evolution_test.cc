// Schema and partition evolution, name mappings, metrics modes and views.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "spec/json.h"
#include "spec/properties.h"
#include "spec/schema_update.h"
#include "spec/spec_update.h"

namespace iceblink::spec {
namespace {

Schema BaseSchema() {
  return Schema(
      {NestedField::Required(1, "id", Type::Int()),
       NestedField::Optional(2, "data", Type::String()),
       NestedField::Optional(3, "loc",
                             Type::Struct({NestedField::Optional(4, "lat", Type::Float()),
                                           NestedField::Optional(5, "lon", Type::Float())})),
       NestedField::Optional(
           6, "pts",
           Type::List(7, Type::Struct({NestedField::Required(8, "x", Type::Long())}), true)),
       NestedField::Optional(9, "m", Type::Map(10, Type::String(), 11, Type::Int(), false))},
      0, {1});
}

std::string Names(const Schema& schema) {
  std::string out;
  for (const NestedField& field : schema.fields()) out += field.name + " ";
  return out;
}

TEST(SchemaUpdate, AddsRenamesWidensAndMoves) {
  SchemaUpdate update(BaseSchema(), 11);
  ASSERT_TRUE(update.AddColumn(
      "", "extra",
      Type::List(1, Type::Struct({NestedField::Optional(2, "y", Type::Int())}), false)));
  ASSERT_TRUE(update.AddColumn("pts", "z", Type::Double(), "depth"));
  ASSERT_TRUE(update.AddColumn("loc", "alt", Type::Float()));
  ASSERT_TRUE(update.RenameColumn("data", "payload"));
  ASSERT_TRUE(update.UpdateColumnType("id", Type::Long()));
  ASSERT_TRUE(update.MoveColumn("extra", ColumnPosition::First()));
  ASSERT_TRUE(update.MoveColumn("loc.alt", ColumnPosition::Before("loc.lat")));
  ASSERT_TRUE(update.MoveColumn("data", ColumnPosition::After("loc")));
  auto schema = update.Apply();
  ASSERT_TRUE(schema) << schema.error().message;
  EXPECT_EQ(Names(*schema), "extra id loc payload pts m ");
  EXPECT_EQ(schema->FindField("extra")->id, 12);
  EXPECT_EQ(schema->FindField("extra.y")->id, 14);
  EXPECT_EQ(schema->FindField("pts.z")->id, 15);
  EXPECT_EQ(schema->FindField("loc")->type.ToString(),
            "struct<16: alt: optional float, 4: lat: optional float, 5: lon: optional float>");
  EXPECT_EQ(schema->identifier_field_ids(), std::vector<int32_t>{1});
  EXPECT_EQ(update.last_column_id(), 16);
}

TEST(SchemaUpdate, RefusesWhatJavaRefuses) {
  SchemaUpdate update(BaseSchema(), 11);
  auto message = [](const Status& status) {
    return status ? std::string() : status.error().message;
  };
  EXPECT_EQ(message(update.AddColumn("", "data", Type::Int())),
            "Cannot add column, name already exists: data");
  EXPECT_EQ(message(update.AddColumn("data", "x", Type::Int())),
            "Cannot add to non-struct column: data: string");
  EXPECT_EQ(message(update.AddRequiredColumn("", "r", Type::Int())),
            "Incompatible change: cannot add required column without a default value: r");
  EXPECT_EQ(message(update.UpdateColumnType("id", Type::Double())),
            "Cannot change column type: id: int -> double");
  EXPECT_EQ(message(update.RequireColumn("data")),
            "Cannot change column nullability: data: optional -> required");
  EXPECT_EQ(message(update.MoveColumn("loc.lat", ColumnPosition::After("id"))),
            "Cannot move field loc.lat to a different struct");
  EXPECT_EQ(message(update.DeleteColumn("nope")), "Cannot delete missing column: nope");
  ASSERT_TRUE(update.DeleteColumn("id"));
  EXPECT_EQ(update.Apply().error().message,
            "Cannot delete identifier field 1: id: required int. To force deletion, also call "
            "setIdentifierFields to update "
            "identifier fields.");
}

TEST(SchemaUpdate, RefusesToBreakListsAndMaps) {
  SchemaUpdate list(BaseSchema(), 11);
  ASSERT_TRUE(list.DeleteColumn("pts.element"));
  EXPECT_EQ(list.Apply().error().message,
            "Cannot delete element type from list: list<struct<8: x: required long>>");
  SchemaUpdate map(BaseSchema(), 11);
  ASSERT_TRUE(map.DeleteColumn("m.key"));
  EXPECT_EQ(map.Apply().error().message, "Cannot delete map keys: map<string, int>");
}

TEST(SchemaUpdate, ChecksIdentifierFields) {
  SchemaUpdate update(BaseSchema(), 11);
  ASSERT_TRUE(update.SetIdentifierFields({"data"}));
  EXPECT_EQ(update.Apply().error().message,
            "Cannot add field data as an identifier field: not a required field");
  ASSERT_TRUE(update.SetIdentifierFields({"nosuch"}));
  EXPECT_EQ(update.Apply().error().message,
            "Cannot add field nosuch as an identifier field: not found in current schema or added "
            "columns");
  ASSERT_TRUE(update.SetIdentifierFields({}));
  EXPECT_TRUE(update.Apply()->identifier_field_ids().empty());
}

TEST(SchemaUpdate, UnitesByName) {
  SchemaUpdate update(BaseSchema(), 11);
  ASSERT_TRUE(update.UnionByNameWith(Schema(
      {NestedField::Optional(1, "id", Type::Long()),
       NestedField::Optional(2, "pts",
                             Type::List(3,
                                        Type::Struct({NestedField::Optional(4, "x", Type::Int()),
                                                      NestedField::Optional(5, "w", Type::Int())}),
                                        true)),
       NestedField::Optional(6, "added", Type::Date())})));
  ASSERT_TRUE(update.SetIdentifierFields({}));
  auto schema = update.Apply();
  ASSERT_TRUE(schema) << schema.error().message;
  EXPECT_EQ(schema->FindField("id")->ToString(), "1: id: optional long");
  EXPECT_EQ(schema->FindField("pts.x")->ToString(), "8: x: optional long");
  EXPECT_NE(schema->FindField("pts.w"), nullptr);
  EXPECT_NE(schema->FindField("added"), nullptr);
}

TEST(SchemaUpdate, CarriesPropertiesAndNameMapping) {
  SchemaUpdate update(BaseSchema(), 11);
  ASSERT_TRUE(update.RenameColumn("data", "payload"));
  ASSERT_TRUE(update.DeleteColumn("loc"));
  std::map<std::string, std::string> properties = {
      {"write.metadata.metrics.column.data", "full"},
      {"write.metadata.metrics.column.loc.lat", "none"},
      {"schema.name-mapping.default", SerializeNameMapping(CreateNameMapping(BaseSchema()))}};
  EXPECT_EQ(update.AddColumn("", "data", Type::Int()).error().message,
            "Cannot add column, name already exists: data");
  auto out = update.UpdateProperties(properties);
  EXPECT_EQ(out["write.metadata.metrics.column.payload"], "full");
  EXPECT_FALSE(out.contains("write.metadata.metrics.column.loc.lat"));
  auto mapping = ParseNameMapping(out["schema.name-mapping.default"]);
  ASSERT_TRUE(mapping);
  std::vector<std::string> payload = {"payload"};
  EXPECT_EQ(mapping->Find(payload)->id, 2);
}

TableMetadata Table(int32_t version, std::vector<PartitionSpec> specs) {
  TableMetadata metadata;
  metadata.format_version = version;
  metadata.schemas = {Schema({NestedField::Required(1, "id", Type::Long()),
                              NestedField::Optional(2, "cat", Type::String()),
                              NestedField::Optional(3, "ts", Type::TimestampTz())})};
  metadata.default_spec_id = specs.back().spec_id;
  for (const PartitionSpec& spec : specs) {
    metadata.last_partition_id = std::max(metadata.last_partition_id, spec.LastAssignedFieldId());
  }
  metadata.specs = std::move(specs);
  return metadata;
}

TEST(SpecUpdate, DropsInVersion2AndVoidsInVersion1) {
  PartitionSpec spec{
      0, {{2, 1000, "cat", Transform::Identity()}, {3, 1001, "ts_day", Transform::Day()}}};
  for (int32_t version : {1, 2}) {
    SpecUpdate update(Table(version, {spec}));
    ASSERT_TRUE(update.RemoveField("ts_day"));
    ASSERT_TRUE(update.AddField("id", Transform::Bucket(4)));
    auto out = update.Apply();
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(out->ToString(),
              version == 2 ? "[\n  1000: cat: identity(2)\n  1002: id_bucket_4: bucket[4](1)\n]"
                           : "[\n  1000: cat: identity(2)\n  1001: ts_day: void(3)\n  1002: "
                             "id_bucket_4: bucket[4](1)\n]");
  }
}

TEST(SpecUpdate, RecyclesFieldsAndUndeletes) {
  PartitionSpec old{0, {{3, 1000, "ts_day", Transform::Day()}}};
  PartitionSpec now{1, {{2, 1001, "cat", Transform::Identity()}}};
  SpecUpdate update(Table(2, {old, now}));
  ASSERT_TRUE(update.AddField("ts", Transform::Day()));
  ASSERT_TRUE(update.RemoveField("cat", Transform::Identity()));
  ASSERT_TRUE(update.AddField("cat", Transform::Identity(), "kind"));
  auto out = update.Apply();
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(out->ToString(), "[\n  1001: kind: identity(2)\n  1000: ts_day: day(3)\n]");
}

TEST(SpecUpdate, RefusesWhatJavaRefuses) {
  PartitionSpec spec{0, {{2, 1000, "cat_trunc_2", Transform::Truncate(2)}}};
  auto message = [](const Status& status) {
    return status ? std::string() : status.error().message;
  };
  SpecUpdate update(Table(2, {spec}));
  EXPECT_EQ(message(update.AddField("cat", Transform::Truncate(2))),
            "Cannot add duplicate partition field null=truncate[2](ref(name=\"cat\")), conflicts "
            "with 1000: cat_trunc_2: "
            "truncate[2](2)");
  EXPECT_EQ(message(update.AddField("id", Transform::Day())),
            "Cannot bind: day cannot transform long values from 'id'");
  EXPECT_EQ(message(update.RemoveField("nosuch")), "Cannot find partition field to remove: nosuch");
  ASSERT_TRUE(update.AddField("ts", Transform::Day()));
  EXPECT_EQ(message(update.AddField("ts", Transform::Hour())),
            "Cannot add redundant partition field: 1001: ts_day: day(3) conflicts with 1002: "
            "ts_hour: hour(3)");
  EXPECT_EQ(message(update.AddField("nosuch", Transform::Day())),
            "Cannot find field 'nosuch' in struct: struct<1: id: required long, 2: cat: optional "
            "string, 3: ts: optional "
            "timestamptz>");
}

TEST(MetricsModes, FollowPropertiesSortOrderAndLimit) {
  SortOrder order{1, {{Transform::Identity(), 2}}};
  Properties properties = {{"write.metadata.metrics.default", "counts"},
                           {"write.metadata.metrics.column.id", "full"}};
  auto modes = ResolveMetricsModes(BaseSchema(), order, properties);
  EXPECT_EQ(modes[1].ToString(), "full");
  EXPECT_EQ(modes[2].ToString(), "truncate(16)");
  EXPECT_EQ(modes[4].ToString(), "counts");
  modes = ResolveMetricsModes(BaseSchema(), SortOrder{},
                              {{"write.metadata.metrics.max-inferred-column-defaults", "3"}});
  EXPECT_EQ(modes[2].ToString(), "truncate(16)");
  EXPECT_EQ(modes[4].ToString(), "truncate(16)");
  EXPECT_EQ(modes[5].ToString(), "none");
  EXPECT_EQ(CheckMetricsProperties(Schema(), {{"write.metadata.metrics.column.q", "full"}})
                .error()
                .message,
            "Invalid metrics config, could not find column q from table prop "
            "write.metadata.metrics.column.q in schema "
            "table {\n}");
}

TEST(View, ReplacesVersionsAndKeepsDialects) {
  ViewVersion version;
  version.timestamp_ms = 5;
  version.schema_id = -1;
  version.default_namespace = {"db"};
  version.representations = {{"sql", "select 1", "spark"}};
  std::vector<ViewUpdate> create = {ViewAssignUuid{"u"}, ViewSetLocation{"/v"},
                                    ViewAddSchema{BaseSchema()}, update::AddViewVersion{version},
                                    update::SetCurrentViewVersion{}};
  auto view = ApplyViewUpdates(nullptr, create, 9);
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->version_log, (std::vector<ViewLogEntry>{{5, 1}}));
  auto parsed = ParseViewMetadata(SerializeViewMetadata(*view));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*parsed, *view);
  for (const ViewUpdate& update : create) {
    auto back = ViewUpdateFromJson(ToJson(update));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(DumpJson(ToJson(*back)), DumpJson(ToJson(update)));
  }
  version.schema_id = 0;
  version.representations[0].sql = "select 2";
  std::vector<ViewUpdate> replace = {update::AddViewVersion{version},
                                     update::SetCurrentViewVersion{}};
  auto replaced = ApplyViewUpdates(&*view, replace, 9);
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ(replaced->current_version_id, 2);
  version.representations[0].dialect = "trino";
  replace[0] = update::AddViewVersion{version};
  EXPECT_EQ(ApplyViewUpdates(&*view, replace, 9).error().message,
            "Cannot replace view due to loss of view dialects "
            "(replace.drop-dialect.allowed=false):\nPrevious dialects: "
            "[spark]\nNew dialects: [trino]");
}

}  // namespace
}  // namespace iceblink::spec
