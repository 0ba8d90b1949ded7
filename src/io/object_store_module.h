// The object stores live in a module, iceblink_object_store.so, which stands on Arrow's file
// systems and the vendors' libraries within them: 66 MB that a process without object stores should
// neither load nor start. It is opened with the first location that needs it.
//
// The module lies beside the program (a build tree) or in lib/ beside its folder (an installation);
// ICEBLINK_OBJECT_STORE_MODULE, the path of one, comes before. Program and module are of one build:
// they share the classes below, their headers and the C++ runtime, and no other symbols. No
// exception crosses.
#pragma once

#include <memory>
#include <variant>

#include "base/result.h"
#include "io/cloud_options.h"
#include "io/object_store.h"
#include "io/s3_options.h"

namespace iceblink::io {

using StoreOptions = std::variant<S3Options, GcsOptions, AzureOptions>;

// Loads the module when this is the first call. kUnsupported, UnsupportedOperationException, when
// it is not there. Safe from several threads.
Result<std::shared_ptr<ObjectStore>> OpenObjectStore(const StoreOptions& options);

// What the module exports, under this name.
using OpenObjectStoreFunction = void (*)(const StoreOptions& options,
                                         Result<std::shared_ptr<ObjectStore>>& out);
inline constexpr char kOpenObjectStoreName[] = "IceblinkOpenObjectStore";

}  // namespace iceblink::io
