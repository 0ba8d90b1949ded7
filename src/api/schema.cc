#include "iceblink/schema.h"

#include "api/state.h"
#include "spec/schema.h"

namespace iceblink {

namespace {

spec::NestedField ToInternal(const Field& field) {
  return {field.id, field.name, field.type.rep(), field.required, field.doc, {}, {}};
}

Field ToPublic(const spec::NestedField& field) {
  return {field.name, Wrap(field.type), field.required, field.doc, field.id};
}

}  // namespace

Type Wrap(spec::Type type) { return Type(std::make_shared<const spec::Type>(std::move(type))); }

Schema Wrap(spec::Schema schema) {
  return Schema(std::make_shared<const spec::Schema>(std::move(schema)));
}

Type Type::Boolean() { return Wrap(spec::Type::Boolean()); }
Type Type::Int() { return Wrap(spec::Type::Int()); }
Type Type::Long() { return Wrap(spec::Type::Long()); }
Type Type::Float() { return Wrap(spec::Type::Float()); }
Type Type::Double() { return Wrap(spec::Type::Double()); }
Type Type::Decimal(int32_t precision, int32_t scale) {
  return Wrap(spec::Type::Decimal(precision, scale));
}
Type Type::Date() { return Wrap(spec::Type::Date()); }
Type Type::Time() { return Wrap(spec::Type::Time()); }
Type Type::Timestamp() { return Wrap(spec::Type::Timestamp()); }
Type Type::TimestampTz() { return Wrap(spec::Type::TimestampTz()); }
Type Type::TimestampNs() { return Wrap(spec::Type::TimestampNs()); }
Type Type::TimestampTzNs() { return Wrap(spec::Type::TimestampTzNs()); }
Type Type::Variant() { return Wrap(spec::Type::Variant()); }
Type Type::String() { return Wrap(spec::Type::String()); }
Type Type::Uuid() { return Wrap(spec::Type::Uuid()); }
Type Type::Fixed(int32_t length) { return Wrap(spec::Type::Fixed(length)); }
Type Type::Binary() { return Wrap(spec::Type::Binary()); }

Type Type::Struct(const std::vector<Field>& fields) {
  std::vector<spec::NestedField> children;
  for (const Field& field : fields) children.push_back(ToInternal(field));
  return Wrap(spec::Type::Struct(std::move(children)));
}

Type Type::List(const Type& element, bool element_required) {
  return Wrap(spec::Type::List(0, element.rep(), element_required));
}

Type Type::Map(const Type& key, const Type& value, bool value_required) {
  return Wrap(spec::Type::Map(0, key.rep(), 0, value.rep(), value_required));
}

std::string Type::ToString() const { return rep_->ToString(); }

bool operator==(const Type& a, const Type& b) { return a.rep() == b.rep(); }

int32_t Schema::schema_id() const { return rep_->schema_id(); }

std::vector<Field> Schema::fields() const {
  std::vector<Field> out;
  for (const spec::NestedField& field : rep_->fields()) out.push_back(ToPublic(field));
  return out;
}

std::optional<Field> Schema::FindField(std::string_view name) const {
  const spec::NestedField* field = rep_->FindField(name);
  return field == nullptr ? std::nullopt : std::optional(ToPublic(*field));
}

std::vector<std::string> Schema::identifier_fields() const {
  std::vector<std::string> out;
  for (int32_t id : rep_->identifier_field_ids()) out.push_back(rep_->FullName(id));
  return out;
}

std::string Schema::ToString() const { return rep_->ToString(); }

bool Schema::SameSchema(const Schema& other) const { return rep_->SameSchema(other.rep()); }

Schema::Builder& Schema::Builder::Required(std::string name, Type type,
                                           std::optional<std::string> doc) {
  fields_.push_back({std::move(name), std::move(type), true, std::move(doc)});
  return *this;
}

Schema::Builder& Schema::Builder::Optional(std::string name, Type type,
                                           std::optional<std::string> doc) {
  fields_.push_back({std::move(name), std::move(type), false, std::move(doc)});
  return *this;
}

Schema::Builder& Schema::Builder::IdentifierFields(std::vector<std::string> names) {
  identifiers_ = std::move(names);
  return *this;
}

Result<Schema> Schema::Builder::Build() const {
  std::vector<spec::NestedField> fields;
  for (const Field& field : fields_) fields.push_back(ToInternal(field));
  int32_t last = 0;
  spec::Schema schema =
      spec::AssignFreshIds(spec::Schema(std::move(fields)), [&] { return ++last; });
  std::vector<int32_t> identifiers;
  for (const std::string& name : identifiers_) {
    const spec::NestedField* field = schema.FindField(name);
    if (field == nullptr) {
      return Fail(ErrorCode::kInvalidArgument,
                  "Cannot add field " + name +
                      " as an identifier field: not found in current schema or added columns",
                  "IllegalArgumentException");
    }
    identifiers.push_back(field->id);
  }
  schema = schema.WithIdentifierFields(std::move(identifiers));
  RETURN_IF_ERROR(spec::ValidateSchema(schema));
  return Wrap(std::move(schema));
}

}  // namespace iceblink
