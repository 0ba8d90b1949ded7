// Creation of objects exactly once: of all who create one name at the same time, in whatever
// process or machine, one wins. The commits of a file-system (Hadoop) catalog stand on it.
//
// Arrow's file systems have no conditional writes. On S3 one request of our own is sent instead:
// PUT with "If-None-Match: *", addressed and signed as Arrow's are at that moment. An answer may be
// lost or belong to a request that was sent twice, so whatever is not a plain success is settled by
// reading the object: what holds our bytes is ours. A store that is not Amazon's has to prove
// first, on an object made for that, that it does not pass over the condition.
//
// Errors: kAlreadyExists, AlreadyExistsException, when another one won; kUnsupported when the store
// cannot do it; kCommitUnknown when the outcome could not be found out, so that the object may
// appear later; kForbidden, kNotFound, kUnavailable, kIo as of any request. Threads: safe from
// several.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "io/http.h"
#include "io/object_store.h"
#include "io/object_store_module.h"

namespace iceblink::io {

using CreateOnce = std::function<Status(const ObjectName& name, std::string_view bytes)>;

// For a store of these options. Of Google Cloud Storage and Azure: refuses.
CreateOnce MakeCreateOnce(const StoreOptions& options, std::shared_ptr<ObjectStore> store);

// The property that says that all writers of a catalog are in one process, so that asking for an
// object right before sending it is as good.
inline constexpr char kWritersInOneProcess[] = "object-store.writers-in-one-process";

// A signed request for an object of S3, with `more` headers.
HttpRequest S3Request(const S3Access& access, std::string_view method, const ObjectName& name,
                      HeaderList more, std::string_view body, int64_t now_ms);

}  // namespace iceblink::io
