// Avro records as general values, both ways.
#include <fmt/format.h>

#include <algorithm>

#include "base/decimal.h"
#include "io/avro.h"

namespace iceblink::io::avro {
namespace {

constexpr int64_t kMicrosPerMilli = 1000;

Value ReadDecimal(Decoder& decoder, const Schema& schema, std::string_view bytes) {
  const auto unscaled = Int128FromBytes(bytes);
  if (!unscaled) {
    decoder.Fail();
    return {};
  }
  return Decimal{*unscaled, schema.scale};
}

Value ReadBinary(Decoder& decoder, const Schema& schema) {
  const std::string_view bytes = schema.kind == Kind::kFixed
                                     ? decoder.ReadFixedView(schema.fixed_size)
                                     : decoder.ReadBytesView();
  if (schema.logical == LogicalType::kDecimal) return ReadDecimal(decoder, schema, bytes);
  return Bytes{std::string(bytes)};
}

Value ReadArray(Decoder& decoder, const Schema& schema) {
  ValueList items;
  while (int64_t run = decoder.ReadRun()) {
    for (; run > 0 && decoder.ok(); run--) items.push_back(ReadValue(decoder, *schema.items));
  }
  if (schema.logical != LogicalType::kMap) return Value::Array(std::move(items));
  std::vector<std::pair<Value, Value>> entries;
  entries.reserve(items.size());
  for (const Value& item : items) entries.emplace_back(item.fields()[0], item.fields()[1]);
  return Value::Map(std::move(entries));
}

Value ReadMap(Decoder& decoder, const Schema& schema) {
  std::vector<std::pair<Value, Value>> entries;
  while (int64_t run = decoder.ReadRun()) {
    for (; run > 0 && decoder.ok(); run--) {
      Value key = decoder.ReadString();
      entries.emplace_back(std::move(key), ReadValue(decoder, *schema.items));
    }
  }
  return Value::Map(std::move(entries));
}

Value ReadEnum(Decoder& decoder, const Schema& schema) {
  const size_t index = decoder.ReadUnionIndex(schema.symbols.size());
  return decoder.ok() ? Value(schema.symbols[index]) : Value();
}

tl::unexpected<Error> Misfit(const Schema& schema) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("Value does not fit Avro schema: kind {} {}",
                                                       static_cast<int>(schema.kind), schema.name));
}

// Whether the value has the outer form that this branch of a union holds.
bool Fits(const Schema& schema, const Value& value) {
  switch (schema.kind) {
    case Kind::kNull:
      return value.is_null();
    case Kind::kBoolean:
      return value.Is<bool>();
    case Kind::kInt:
      return value.Is<int32_t>() ||
             (schema.logical == LogicalType::kTimeMillis && value.Is<int64_t>());
    case Kind::kLong:
      return value.Is<int64_t>() || value.Is<int32_t>();
    case Kind::kFloat:
      return value.Is<float>();
    case Kind::kDouble:
      return value.Is<double>();
    case Kind::kBytes:
    case Kind::kFixed:
      return schema.logical == LogicalType::kDecimal ? value.Is<Decimal>() : value.Is<Bytes>();
    case Kind::kString:
      return value.Is<std::string>();
    case Kind::kEnum:
      return value.Is<std::string>() && std::find(schema.symbols.begin(), schema.symbols.end(),
                                                  value.As<std::string>()) != schema.symbols.end();
    case Kind::kRecord:
      return value.Is<StructValue>() && value.fields().size() == schema.fields.size();
    case Kind::kArray:
      return schema.logical == LogicalType::kMap ? value.Is<MapValue>() : value.Is<ArrayValue>();
    case Kind::kMap:
      return value.Is<MapValue>();
    case Kind::kUnion:
      return true;
  }
  return false;
}

Status WriteBinary(Encoder& encoder, const Schema& schema, const Value& value) {
  const bool is_fixed = schema.kind == Kind::kFixed;
  std::string bytes;
  if (schema.logical == LogicalType::kDecimal) {
    const auto rescaled = Rescale(value.As<Decimal>(), schema.scale, Rounding::kUnnecessary);
    if (!rescaled) return Misfit(schema);
    bytes = Int128ToMinimalBytes(rescaled->unscaled);
    const auto size = static_cast<size_t>(schema.fixed_size);
    if (is_fixed && bytes.size() <= size) bytes = Int128ToFixedBytes(rescaled->unscaled, size);
  } else {
    bytes = value.As<Bytes>().data;
  }
  if (!is_fixed) {
    encoder.WriteBytes(bytes);
    return {};
  }
  if (bytes.size() != static_cast<size_t>(schema.fixed_size)) return Misfit(schema);
  encoder.WriteFixed(bytes);
  return {};
}

Status WriteItems(Encoder& encoder, const Schema& schema, const ValueList& items) {
  if (!items.empty()) encoder.BeginRun(static_cast<int64_t>(items.size()));
  for (const Value& item : items) RETURN_IF_ERROR(WriteValue(encoder, *schema.items, item));
  encoder.EndRuns();
  return {};
}

Status WriteEntries(Encoder& encoder, const Schema& schema, const Value& value) {
  const auto& entries = value.entries();
  if (!entries.empty()) encoder.BeginRun(static_cast<int64_t>(entries.size()));
  for (const auto& [key, item] : entries) {
    if (schema.kind == Kind::kArray) {
      RETURN_IF_ERROR(WriteValue(encoder, *schema.items, Value::Struct({key, item})));
      continue;
    }
    if (!key.Is<std::string>()) return Misfit(schema);
    encoder.WriteBytes(key.As<std::string>());
    RETURN_IF_ERROR(WriteValue(encoder, *schema.items, item));
  }
  encoder.EndRuns();
  return {};
}

Status WriteUnion(Encoder& encoder, const Schema& schema, const Value& value) {
  for (size_t i = 0; i < schema.branches.size(); i++) {
    if (!Fits(*schema.branches[i], value)) continue;
    encoder.WriteUnionIndex(static_cast<int64_t>(i));
    return WriteValue(encoder, *schema.branches[i], value);
  }
  return Misfit(schema);
}

Status WriteRecord(Encoder& encoder, const Schema& schema, const Value& value) {
  for (size_t i = 0; i < schema.fields.size(); i++) {
    RETURN_IF_ERROR(WriteValue(encoder, *schema.fields[i].type, value.fields()[i]));
  }
  return {};
}

}  // namespace

Value ReadValue(Decoder& decoder, const Schema& schema) {
  if (!decoder.ok()) return {};
  switch (schema.kind) {
    case Kind::kNull:
      return {};
    case Kind::kBoolean:
      return decoder.ReadBool();
    case Kind::kInt: {
      const int32_t value = decoder.ReadInt();
      return schema.logical == LogicalType::kTimeMillis ? Value(int64_t{value} * kMicrosPerMilli)
                                                        : Value(value);
    }
    case Kind::kLong: {
      int64_t value = decoder.ReadLong();
      if (schema.logical == LogicalType::kTimestampMillis &&
          __builtin_mul_overflow(value, kMicrosPerMilli, &value)) {
        decoder.Fail();
      }
      return value;
    }
    case Kind::kFloat:
      return decoder.ReadFloat();
    case Kind::kDouble:
      return decoder.ReadDouble();
    case Kind::kString:
      return decoder.ReadString();
    case Kind::kBytes:
    case Kind::kFixed:
      return ReadBinary(decoder, schema);
    case Kind::kEnum:
      return ReadEnum(decoder, schema);
    case Kind::kUnion:
      return ReadValue(decoder, *schema.branches[decoder.ReadUnionIndex(schema.branches.size())]);
    case Kind::kArray:
      return ReadArray(decoder, schema);
    case Kind::kMap:
      return ReadMap(decoder, schema);
    case Kind::kRecord: {
      ValueList fields;
      fields.reserve(schema.fields.size());
      for (const Field& field : schema.fields) fields.push_back(ReadValue(decoder, *field.type));
      return Value::Struct(std::move(fields));
    }
  }
  return {};
}

Status WriteValue(Encoder& encoder, const Schema& schema, const Value& value) {
  if (!Fits(schema, value)) return Misfit(schema);
  switch (schema.kind) {
    case Kind::kNull:
      return {};
    case Kind::kBoolean:
      encoder.WriteBool(value.As<bool>());
      return {};
    case Kind::kInt:
      encoder.WriteLong(value.Is<int64_t>() ? value.As<int64_t>() / kMicrosPerMilli
                                            : value.As<int32_t>());
      return {};
    case Kind::kLong: {
      const int64_t number = value.AsInt64();
      encoder.WriteLong(schema.logical == LogicalType::kTimestampMillis ? number / kMicrosPerMilli
                                                                        : number);
      return {};
    }
    case Kind::kFloat:
      encoder.WriteFloat(value.As<float>());
      return {};
    case Kind::kDouble:
      encoder.WriteDouble(value.As<double>());
      return {};
    case Kind::kString:
      encoder.WriteBytes(value.As<std::string>());
      return {};
    case Kind::kBytes:
    case Kind::kFixed:
      return WriteBinary(encoder, schema, value);
    case Kind::kEnum: {
      const auto it =
          std::find(schema.symbols.begin(), schema.symbols.end(), value.As<std::string>());
      encoder.WriteLong(it - schema.symbols.begin());
      return {};
    }
    case Kind::kUnion:
      return WriteUnion(encoder, schema, value);
    case Kind::kRecord:
      return WriteRecord(encoder, schema, value);
    case Kind::kArray:
      if (schema.logical != LogicalType::kMap) return WriteItems(encoder, schema, value.elements());
      return WriteEntries(encoder, schema, value);
    case Kind::kMap:
      return WriteEntries(encoder, schema, value);
  }
  return {};
}

}  // namespace iceblink::io::avro
