#include "spec/manifest.h"

#include "base/strings.h"

namespace iceblink::spec {
namespace {

struct NamedFormat {
  std::string_view name;
  std::string_view extension;
};
constexpr NamedFormat kFormats[] = {
    {"PARQUET", "parquet"}, {"AVRO", "avro"}, {"ORC", "orc"}, {"PUFFIN", "puffin"}};

}  // namespace

std::string_view FileFormatName(FileFormat format) {
  return kFormats[static_cast<size_t>(format)].name;
}
std::string_view FileFormatExtension(FileFormat format) {
  return kFormats[static_cast<size_t>(format)].extension;
}

Result<FileFormat> ParseFileFormat(std::string_view name) {
  std::string upper = AsciiUpper(name);
  for (size_t i = 0; i < std::size(kFormats); ++i) {
    if (kFormats[i].name == upper) return static_cast<FileFormat>(i);
  }
  return Fail(ErrorCode::kInvalidArgument, "Invalid file format: " + std::string(name),
              "IllegalArgumentException");
}

}  // namespace iceblink::spec
