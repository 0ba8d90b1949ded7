#include "exec/orc_limits.h"

#include <limits>

#include "base/bytes.h"

namespace iceblink::exec {

void CollectTimestamps(const spec::NestedField& field, std::set<int32_t>* ids) {
  switch (field.type.kind()) {
    case spec::TypeKind::kTimestamp:
    case spec::TypeKind::kTimestampTz:
      ids->insert(field.id);
      return;
    case spec::TypeKind::kStruct:
      for (const spec::NestedField& child : field.type.AsStruct().fields)
        CollectTimestamps(child, ids);
      return;
    default:
      return;
  }
}

Status CheckOrcTimestamps(const spec::DataFile& file, const std::set<int32_t>& ids) {
  if (file.format != spec::FileFormat::kOrc) return {};
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 1000;
  for (int32_t id : ids) {
    for (const spec::BoundMap* bounds : {&file.lower_bounds, &file.upper_bounds}) {
      const Bytes* bound = bounds->Find(id);
      if (bound == nullptr || bound->data.size() != sizeof(int64_t)) continue;
      const auto micros = GetLittleEndian<int64_t>(bound->data.data());
      if (micros >= -kMost && micros <= kMost) continue;
      return Fail(ErrorCode::kUnsupported,
                  "Cannot read timestamps before 1677-09-22 or after 2262-04-11 from ORC file " +
                      file.file_path,
                  "UnsupportedOperationException");
    }
  }
  return {};
}

}  // namespace iceblink::exec
