// The ORC module's one export. Everything else is hidden.
#include <exception>

#include "io/arrow/orc_files.h"

namespace iceblink::io {
namespace {

class Module final : public OrcModule {
 public:
  Result<std::unique_ptr<OrcReader>> Open(std::unique_ptr<RandomAccessFile> file) override {
    try {
      return OpenOrcReader(std::move(file));
    } catch (const std::exception& error) {
      return Fail(ErrorCode::kInternal, error.what());
    }
  }
  Result<std::unique_ptr<OrcWriter>> Create(std::unique_ptr<OutputFile> file,
                                            const std::vector<OrcField>& columns,
                                            const OrcWriteOptions& options) override {
    try {
      return CreateOrcWriter(std::move(file), columns, options);
    } catch (const std::exception& error) {
      return Fail(ErrorCode::kInternal, error.what());
    }
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) OrcModule* IceblinkOrc() {
  static Module module;
  return &module;
}

}  // namespace iceblink::io
