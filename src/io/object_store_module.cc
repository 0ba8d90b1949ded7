#include "io/object_store_module.h"

#include "io/module_path.h"

namespace iceblink::io {

Result<std::shared_ptr<ObjectStore>> OpenObjectStore(const StoreOptions& options) {
  static const auto open =
      ModuleFunction<OpenObjectStoreFunction>("Object stores", "iceblink_object_store.so",
                                              "ICEBLINK_OBJECT_STORE_MODULE", kOpenObjectStoreName);
  if (!open) return Fail(open.error());
  Result<std::shared_ptr<ObjectStore>> out;
  (*open)(options, out);
  return out;
}

}  // namespace iceblink::io
