// The module's one export: makes an ObjectStore of options. Everything else is hidden.
#include <exception>

#include "io/arrow/arrow_store.h"
#include "io/object_store_module.h"

namespace iceblink::io {

extern "C" __attribute__((visibility("default"))) void IceblinkOpenObjectStore(
    const StoreOptions& options, Result<std::shared_ptr<ObjectStore>>& out) {
  try {
    out = std::make_shared<ArrowStore>(options);
  } catch (const std::exception& error) {
    out = Fail(ErrorCode::kInternal, error.what());
  }
}

}  // namespace iceblink::io
