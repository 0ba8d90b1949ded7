// ORC files, through Arrow, in a module of their own: iceblink_orc.so stands on libarrow, which a
// process without ORC files should not load. It is found and shared like the object stores'
// (io/object_store_module.h); ICEBLINK_ORC_MODULE names another one.
//
// Rows cross as Arrow C data (ArrowSchema, ArrowArray), which owns itself. Attributes of ORC types
// ("iceberg.id") are the metadata of Arrow's fields. No exception crosses. One thread at a time for
// each object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"

struct ArrowArray;
struct ArrowSchema;

namespace iceblink::io {

struct OrcStripe {
  int64_t first_row = 0;
  int64_t rows = 0;
};

class OrcReader {
 public:
  virtual ~OrcReader() = default;
  // The file's columns, as children of a struct.
  virtual Status Schema(ArrowSchema* out) = 0;
  // Which columns Next answers, in ascending order, at least one. Call once, before Start.
  virtual void Select(std::vector<int> columns) = 0;
  virtual std::vector<OrcStripe> stripes() = 0;
  // Goes to the first row of a stripe.
  virtual Status Start(const OrcStripe& stripe) = 0;
  // The stripe's next rows, `rows` at most, as a struct of the selected columns; false at its end.
  virtual Result<bool> Next(int64_t rows, ArrowArray* out) = 0;
};

enum class OrcKind : uint8_t {
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal,
  kDate,
  kTimestamp,         // micros
  kTimestampInstant,  // micros
  kTimestampNanos,
  kString,
  kBinary,
  kStruct,
  kList,  // one child
  kMap,   // key and value
};

struct OrcField {
  std::string name;
  OrcKind kind = OrcKind::kStruct;
  int32_t precision = 0;  // kDecimal
  int32_t scale = 0;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<OrcField> children;
};

struct OrcWriteOptions {
  std::string codec;  // zlib, zstd, snappy, lz4, none
  bool for_size = false;
  int64_t stripe_bytes = int64_t{64} << 20;
  std::vector<std::string> bloom_columns;  // names of columns at the top
  double bloom_fpp = 0.05;
};

class OrcWriter {
 public:
  // Without Close nothing stays behind.
  virtual ~OrcWriter() = default;
  // A struct of the columns; what it holds is released.
  virtual Status Append(ArrowArray* rows) = 0;
  // Bytes of the stripes that are finished.
  virtual int64_t size() = 0;
  // Ends the file and returns its size.
  virtual Result<int64_t> Close() = 0;
};

// What the module makes.
class OrcModule {
 public:
  virtual ~OrcModule() = default;
  virtual Result<std::unique_ptr<OrcReader>> Open(std::unique_ptr<RandomAccessFile> file) = 0;
  virtual Result<std::unique_ptr<OrcWriter>> Create(std::unique_ptr<OutputFile> file,
                                                    const std::vector<OrcField>& columns,
                                                    const OrcWriteOptions& options) = 0;
};

// Loads the module when this is the first call. kUnsupported, UnsupportedOperationException, when
// it is not there. Safe from several threads.
Result<OrcModule*> LoadOrc();

// What the module exports, under this name.
using OrcModuleFunction = OrcModule* (*)();
inline constexpr char kOrcModuleName[] = "IceblinkOrc";

}  // namespace iceblink::io
