// Hashes, encodings, partition transforms, and access to arrays and maps.
#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <set>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/murmur3.h"
#include "base/strings.h"
#include "exec/duckdb_types.h"
#include "exec/row_function.h"
#include "exec/spark_error.h"

namespace iceblink::exec {

using duckdb::LogicalType;

namespace {

// ---- Spark's Murmur3 (seed 42; the tail of a text is hashed byte by byte)
// ---------------------------------------------

uint32_t MixK(uint32_t k) { return std::rotl(k * 0xcc9e2d51u, 15) * 0x1b873593u; }
uint32_t MixH(uint32_t h, uint32_t k) { return std::rotl(h ^ MixK(k), 13) * 5 + 0xe6546b64u; }
int64_t Finish(uint32_t h, uint32_t length) {
  h ^= length;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return static_cast<int32_t>(h ^ (h >> 16));
}
int64_t HashInt(int64_t value, uint32_t seed) {
  return Finish(MixH(seed, static_cast<uint32_t>(value)), 4);
}
int64_t HashLong(int64_t value, uint32_t seed) {
  auto bits = static_cast<uint64_t>(value);
  return Finish(MixH(MixH(seed, static_cast<uint32_t>(bits)), static_cast<uint32_t>(bits >> 32)),
                8);
}
int64_t HashBytes(std::string_view bytes, uint32_t seed) {
  uint32_t h = seed;
  size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, 4);
    h = MixH(h, word);
  }
  for (; at < bytes.size(); ++at)
    h = MixH(h, static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(bytes[at]))));
  return Finish(h, static_cast<uint32_t>(bytes.size()));
}

// ---- XXH64
// -----------------------------------------------------------------------------------------------------------

constexpr uint64_t kP1 = 0x9E3779B185EBCA87ull, kP2 = 0xC2B2AE3D27D4EB4Full,
                   kP3 = 0x165667B19E3779F9ull, kP4 = 0x85EBCA77C2B2AE63ull,
                   kP5 = 0x27D4EB2F165667C5ull;

uint64_t Round(uint64_t acc, uint64_t input) { return std::rotl(acc + input * kP2, 31) * kP1; }
uint64_t Avalanche(uint64_t h) {
  h = (h ^ (h >> 33)) * kP2;
  h = (h ^ (h >> 29)) * kP3;
  return h ^ (h >> 32);
}

int64_t XxHash(std::string_view bytes, uint64_t seed) {
  const char* p = bytes.data();
  size_t left = bytes.size();
  auto read64 = [](const char* at) {
    uint64_t v = 0;
    std::memcpy(&v, at, 8);
    return v;
  };
  uint64_t h = seed + kP5;
  if (left >= 32) {
    uint64_t v[4] = {seed + kP1 + kP2, seed + kP2, seed, seed - kP1};
    for (; left >= 32; left -= 32) {
      for (uint64_t& lane : v) {
        lane = Round(lane, read64(p));
        p += 8;
      }
    }
    h = std::rotl(v[0], 1) + std::rotl(v[1], 7) + std::rotl(v[2], 12) + std::rotl(v[3], 18);
    for (uint64_t lane : v) h = (h ^ Round(0, lane)) * kP1 + kP4;
  }
  h += bytes.size();
  for (; left >= 8; left -= 8, p += 8) h = std::rotl(h ^ Round(0, read64(p)), 27) * kP1 + kP4;
  if (left >= 4) {
    uint32_t word = 0;
    std::memcpy(&word, p, 4);
    h = std::rotl(h ^ (word * kP1), 23) * kP2 + kP3;
    p += 4;
    left -= 4;
  }
  for (; left > 0; --left, ++p) h = std::rotl(h ^ (static_cast<unsigned char>(*p) * kP5), 11) * kP1;
  return static_cast<int64_t>(Avalanche(h));
}

template <typename T>
std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

// ---- ib_hash(value, seed) and ib_xxhash64(value, seed): NULL leaves the seed
// -------------------------------------------

Datum HashIntArg(const RowArgs& args) {
  return args.IsNull(0) ? Datum(args.Long(1))
                        : HashInt(args.Long(0), static_cast<uint32_t>(args.Long(1)));
}
Datum HashLongArg(const RowArgs& args) {
  return args.IsNull(0) ? Datum(args.Long(1))
                        : HashLong(args.Long(0), static_cast<uint32_t>(args.Long(1)));
}
Datum HashTextArg(const RowArgs& args) {
  return args.IsNull(0) ? Datum(args.Long(1))
                        : HashBytes(args.Text(0), static_cast<uint32_t>(args.Long(1)));
}
Datum HashDoubleArg(const RowArgs& args) {
  if (args.IsNull(0)) return args.Long(1);
  double value = args.Double(0) == 0 ? 0.0 : args.Double(0);
  return HashLong(std::bit_cast<int64_t>(value), static_cast<uint32_t>(args.Long(1)));
}
Datum HashFloatArg(const RowArgs& args) {
  if (args.IsNull(0)) return args.Long(1);
  auto value = static_cast<float>(args.Double(0) == 0 ? 0.0 : args.Double(0));
  return HashInt(std::bit_cast<int32_t>(value), static_cast<uint32_t>(args.Long(1)));
}
Datum XxIntArg(const RowArgs& args) {
  if (args.IsNull(0)) return args.Long(1);
  auto value = static_cast<int32_t>(args.Long(0));
  return XxHash(BytesOf(value), static_cast<uint64_t>(args.Long(1)));
}
Datum XxLongArg(const RowArgs& args) {
  if (args.IsNull(0)) return args.Long(1);
  int64_t value = args.Long(0);
  return XxHash(BytesOf(value), static_cast<uint64_t>(args.Long(1)));
}
Datum XxTextArg(const RowArgs& args) {
  return args.IsNull(0) ? Datum(args.Long(1))
                        : XxHash(args.Text(0), static_cast<uint64_t>(args.Long(1)));
}
Datum XxDoubleArg(const RowArgs& args) {
  if (args.IsNull(0)) return args.Long(1);
  double value = args.Double(0) == 0 ? 0.0 : args.Double(0);
  return XxHash(BytesOf(value), static_cast<uint64_t>(args.Long(1)));
}

// ---- encodings
// -------------------------------------------------------------------------------------------------------

Datum Crc32(const RowArgs& args) {
  std::string_view bytes = args.Text(0);
  return static_cast<int64_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}
Datum Hex(const RowArgs& args) { return HexEncode(args.Text(0), true); }
Datum HexLong(const RowArgs& args) {
  return fmt::format("{:X}", static_cast<uint64_t>(args.Long(0)));
}
Datum Unhex(const RowArgs& args) {
  std::string text(args.Text(0));
  if (text.size() % 2 == 1) text.insert(0, "0");
  auto bytes = HexDecode(text);
  return bytes ? Datum(*bytes) : Datum();
}

Datum Conv(const RowArgs& args) {
  int64_t from = args.Long(1), to = args.Long(2);
  int64_t to_base = to < 0 ? -to : to;
  if (from < 2 || from > 36 || to_base < 2 || to_base > 36) return {};
  std::string_view text = Trim(args.Text(0));
  bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  uint64_t value = 0;
  for (char c : text) {
    int digit = std::isdigit(static_cast<unsigned char>(c))   ? c - '0'
                : std::isalpha(static_cast<unsigned char>(c)) ? std::tolower(c) - 'a' + 10
                                                              : 99;
    if (digit >= from) break;
    value = value * static_cast<uint64_t>(from) + static_cast<uint64_t>(digit);
  }
  if (negative) value = 0 - value;
  bool minus = to < 0 && static_cast<int64_t>(value) < 0;
  if (minus) value = 0 - value;
  std::string out;
  do {
    out.insert(out.begin(),
               "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[value % static_cast<uint64_t>(to_base)]);
    value /= static_cast<uint64_t>(to_base);
  } while (value > 0);
  return (minus ? "-" : "") + out;
}

// Code points of UTF-8 text as big-endian UTF-16.
std::string ToUtf16(std::string_view text, bool little) {
  std::string out;
  auto unit = [&](uint32_t v) {
    char high = static_cast<char>(v >> 8), low = static_cast<char>(v & 0xff);
    out += little ? low : high;
    out += little ? high : low;
  };
  while (!text.empty()) {
    std::string_view c = CodePointPrefix(text, 1);
    text.remove_prefix(c.size());
    uint32_t point = static_cast<unsigned char>(c[0]);
    if (c.size() > 1) point &= 0xffu >> (c.size() + 1);
    for (size_t i = 1; i < c.size(); ++i)
      point = (point << 6) | (static_cast<unsigned char>(c[i]) & 0x3f);
    if (point >= 0x10000) {
      point -= 0x10000;
      unit(0xd800 + (point >> 10));
      unit(0xdc00 + (point & 0x3ff));
    } else {
      unit(point);
    }
  }
  return out;
}

std::string Latin1ToUtf8(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) AppendUtf8(c, out);
  return out;
}

[[noreturn]] void BadCharset(std::string_view charset, std::string_view function) {
  ThrowSpark({"INVALID_PARAMETER_VALUE.CHARSET", "22023", "SparkIllegalArgumentException",
              fmt::format("The value of parameter(s) `charset` in `{}` is invalid: expects one of "
                          "the `iso-8859-1`, `us-ascii`, "
                          "`utf-16`, `utf-16be`, `utf-16le`, `utf-32`, `utf-8`, but got {}.",
                          function, charset)});
}

Datum Encode(const RowArgs& args) {
  std::string charset = AsciiLower(args.Text(1));
  if (charset == "utf-8") return std::string(args.Text(0));
  if (charset == "utf-16") return "\xfe\xff" + ToUtf16(args.Text(0), false);
  if (charset == "utf-16be") return ToUtf16(args.Text(0), false);
  if (charset == "utf-16le") return ToUtf16(args.Text(0), true);
  if (charset == "us-ascii" || charset == "iso-8859-1") return std::string(args.Text(0));
  BadCharset(args.Text(1), "encode");
}

Datum Decode(const RowArgs& args) {
  std::string charset = AsciiLower(args.Text(1));
  if (charset == "utf-8" || charset == "us-ascii") return std::string(args.Text(0));
  if (charset == "iso-8859-1") return Latin1ToUtf8(args.Text(0));
  if (charset == "utf-16" || charset == "utf-16be" || charset == "utf-16le") {
    std::string_view bytes = args.Text(0);
    bool little = charset == "utf-16le";
    if (bytes.starts_with("\xfe\xff")) bytes.remove_prefix(2);
    std::string out;
    for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
      auto a = static_cast<unsigned char>(bytes[i]), b = static_cast<unsigned char>(bytes[i + 1]);
      AppendUtf8(little ? (b << 8 | a) : (a << 8 | b), out);
    }
    return out;
  }
  BadCharset(args.Text(1), "decode");
}

// ---- Iceberg's transforms as functions
// -------------------------------------------------------------------------------

int64_t Bucket(int64_t hash, int64_t buckets) {
  return buckets <= 0 ? 0 : (hash & 0x7fffffff) % buckets;
}
Datum BucketLong(const RowArgs& args) { return Bucket(Murmur3Long(args.Long(1)), args.Long(0)); }
Datum BucketText(const RowArgs& args) { return Bucket(Murmur3(args.Text(1)), args.Long(0)); }

Datum TruncateLong(const RowArgs& args) {
  return args.Long(1) - FloorMod(args.Long(1), args.Long(0));
}
Datum TruncateText(const RowArgs& args) {
  return std::string(CodePointPrefix(args.Text(1), static_cast<size_t>(args.Long(0))));
}
Datum TruncateBinary(const RowArgs& args) {
  return std::string(args.Text(1).substr(0, static_cast<size_t>(args.Long(0))));
}

duckdb::unique_ptr<duckdb::FunctionData> BindDecimalArgument(
    duckdb::ClientContext&, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& args) {
  function.arguments[1] =
      LogicalType::DECIMAL(38, duckdb::DecimalType::GetScale(args[1]->return_type));
  if (function.name == "ib_truncate") function.SetReturnType(function.arguments[1]);
  return nullptr;
}

void BucketDecimal(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  duckdb::BinaryExecutor::Execute<int64_t, duckdb::hugeint_t, int32_t>(
      chunk.data[0], chunk.data[1], result, chunk.size(),
      [](int64_t buckets, duckdb::hugeint_t value) {
        return static_cast<int32_t>(
            Bucket(Murmur3(Int128ToMinimalBytes(ToInt128(value))), buckets));
      });
}

void TruncateDecimal(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  duckdb::BinaryExecutor::Execute<int64_t, duckdb::hugeint_t, duckdb::hugeint_t>(
      chunk.data[0], chunk.data[1], result, chunk.size(),
      [](int64_t width, duckdb::hugeint_t value) {
        Int128 v = ToInt128(value), w = width;
        return ToHugeint(v - (((v % w) + w) % w));
      });
}

// ---- arrays and maps
// -------------------------------------------------------------------------------------------------

// 0-based index and size -> 1-based index, or the error of an index out of range.
Datum CheckIndex(const RowArgs& args) {
  int64_t index = args.Long(0), size = args.Long(1);
  if (index < 0 || index >= size) {
    ThrowCondition("INVALID_ARRAY_INDEX",
                   {{"indexValue", std::to_string(index)}, {"arraySize", std::to_string(size)}});
  }
  return index + 1;
}

// As CheckIndex, counted from one.
Datum CheckElt(const RowArgs& args) {
  int64_t index = args.Long(0), size = args.Long(1);
  if (index < 1 || index > size) {
    ThrowCondition("INVALID_ARRAY_INDEX",
                   {{"indexValue", std::to_string(index)}, {"arraySize", std::to_string(size)}});
  }
  return index;
}

Datum CheckElementAt(const RowArgs& args) {
  int64_t index = args.Long(0), size = args.Long(1);
  if (index == 0) ThrowCondition("INVALID_INDEX_OF_ZERO");
  if (index > size || -index > size) {
    ThrowCondition("INVALID_ARRAY_INDEX_IN_ELEMENT_AT",
                   {{"indexValue", std::to_string(index)}, {"arraySize", std::to_string(size)}});
  }
  return index;
}

duckdb::unique_ptr<duckdb::FunctionData> BindSameType(
    duckdb::ClientContext&, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& args) {
  function.arguments[0] = args[0]->return_type;
  function.SetReturnType(args[0]->return_type);
  return nullptr;
}

// Passes a list of map keys on, unless one is NULL or there twice.
void CheckMapKeys(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  for (size_t row = 0; row < chunk.size(); ++row) {
    duckdb::Value list = chunk.data[0].GetValue(row);
    if (list.IsNull()) continue;
    std::set<std::string> seen;
    for (const duckdb::Value& key : duckdb::ListValue::GetChildren(list)) {
      if (key.IsNull()) ThrowCondition("NULL_MAP_KEY");
      if (!seen.insert(key.ToString()).second)
        ThrowCondition("DUPLICATED_MAP_KEY", {{"key", key.ToString()}});
    }
  }
  result.Reference(chunk.data[0]);
}

Datum Shift(const RowArgs& args) {
  std::string_view op = args.Text(0);
  int64_t value = args.Long(1), count = args.Long(2);
  bool wide = args.Long(3) == 64;
  if (op == "<<")
    return wide ? static_cast<int64_t>(static_cast<uint64_t>(value) << count)
                : int64_t{static_cast<int32_t>(static_cast<uint32_t>(value) << count)};
  if (op == ">>") return value >> count;
  return wide ? static_cast<int64_t>(static_cast<uint64_t>(value) >> count)
              : int64_t{static_cast<int32_t>(static_cast<uint32_t>(value) >> count)};
}

void RegisterHashes(duckdb::ExtensionLoader& loader) {
  const LogicalType i32 = LogicalType::INTEGER, i64 = LogicalType::BIGINT;
  std::vector<RowFunction> out;
  for (const LogicalType& type :
       {LogicalType(LogicalType::BOOLEAN), LogicalType(LogicalType::TINYINT),
        LogicalType(LogicalType::SMALLINT), i32, LogicalType(LogicalType::DATE)}) {
    out.push_back({"ib_hash", {type, i32}, i32, HashIntArg, true});
    out.push_back({"ib_xxhash64", {type, i64}, i64, XxIntArg, true});
  }
  for (const LogicalType& type :
       {i64, LogicalType(LogicalType::TIMESTAMP), LogicalType(LogicalType::TIMESTAMP_TZ)}) {
    out.push_back({"ib_hash", {type, i32}, i32, HashLongArg, true});
    out.push_back({"ib_xxhash64", {type, i64}, i64, XxLongArg, true});
  }
  for (const LogicalType& type :
       {LogicalType(LogicalType::VARCHAR), LogicalType(LogicalType::BLOB)}) {
    out.push_back({"ib_hash", {type, i32}, i32, HashTextArg, true});
    out.push_back({"ib_xxhash64", {type, i64}, i64, XxTextArg, true});
  }
  out.push_back({"ib_hash", {LogicalType::DOUBLE, i32}, i32, HashDoubleArg, true});
  out.push_back({"ib_hash", {LogicalType::FLOAT, i32}, i32, HashFloatArg, true});
  out.push_back({"ib_xxhash64", {LogicalType::DOUBLE, i64}, i64, XxDoubleArg, true});
  Register(loader, out);
}

void RegisterTransforms(duckdb::ExtensionLoader& loader) {
  const LogicalType i32 = LogicalType::INTEGER, i64 = LogicalType::BIGINT,
                    text = LogicalType::VARCHAR, blob = LogicalType::BLOB;
  std::vector<RowFunction> out;
  for (const LogicalType& type :
       {i64, LogicalType(LogicalType::DATE), LogicalType(LogicalType::TIMESTAMP),
        LogicalType(LogicalType::TIMESTAMP_TZ), LogicalType(LogicalType::TIME)}) {
    out.push_back({"ib_bucket", {i64, type}, i32, BucketLong});
  }
  out.push_back({"ib_bucket", {i64, text}, i32, BucketText});
  out.push_back({"ib_bucket", {i64, blob}, i32, BucketText});
  out.push_back({"ib_truncate", {i64, i32}, i32, TruncateLong});
  out.push_back({"ib_truncate", {i64, i64}, i64, TruncateLong});
  out.push_back({"ib_truncate", {i64, text}, text, TruncateText});
  out.push_back({"ib_truncate", {i64, blob}, blob, TruncateBinary});
  Register(loader, out);
  const LogicalType decimal(duckdb::LogicalTypeId::DECIMAL);
  loader.RegisterFunction(
      duckdb::ScalarFunction("ib_bucket", {i64, decimal}, i32, BucketDecimal, BindDecimalArgument));
  loader.RegisterFunction(duckdb::ScalarFunction("ib_truncate", {i64, decimal},
                                                 LogicalType::DECIMAL(38, 0), TruncateDecimal,
                                                 BindDecimalArgument));
}

}  // namespace

void RegisterHashFunctions(duckdb::ExtensionLoader& loader) {
  const LogicalType i32 = LogicalType::INTEGER, i64 = LogicalType::BIGINT,
                    text = LogicalType::VARCHAR, blob = LogicalType::BLOB;
  RegisterHashes(loader);
  RegisterTransforms(loader);
  Register(loader, {
                       {"ib_crc32", {blob}, i64, Crc32},
                       {"ib_hex", {blob}, text, Hex},
                       {"ib_hex_long", {i64}, text, HexLong},
                       {"ib_unhex", {text}, blob, Unhex},
                       {"ib_conv", {text, i32, i32}, text, Conv},
                       {"ib_encode", {text, text}, blob, Encode},
                       {"ib_decode", {blob, text}, text, Decode},
                       {"ib_check_index", {i64, i64}, i64, CheckIndex},
                       {"ib_check_elt", {i64, i64}, i64, CheckElt},
                       {"ib_check_element_at", {i64, i64}, i64, CheckElementAt},
                       {"ib_shift", {text, i64, i64, i64}, i64, Shift},
                   });
  duckdb::ScalarFunction keys("ib_map_keys", {LogicalType::LIST(LogicalType::ANY)},
                              LogicalType::LIST(LogicalType::ANY), CheckMapKeys, BindSameType);
  keys.SetErrorMode(duckdb::FunctionErrors::CAN_THROW_RUNTIME_ERROR);
  loader.RegisterFunction(keys);
}

}  // namespace iceblink::exec
