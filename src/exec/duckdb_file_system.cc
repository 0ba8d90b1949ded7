#include "exec/duckdb_file_system.h"

#include <fnmatch.h>

#include <algorithm>

#include "exec/spark_error.h"
#include "io/file_system.h"

namespace iceblink::exec {

namespace {

// Keeps DuckDB from taking "s3://" paths itself.
constexpr std::string_view kPrefix = "iceblink+";
constexpr const char* kSizeOption = "file_size";

std::string Location(const std::string& path) { return path.substr(kPrefix.size()); }

void Check(const Status& status) {
  if (!status) throw duckdb::IOException("%s", status.error().message);
}

template <typename T>
T Take(Result<T> result) {
  if (!result) throw duckdb::IOException("%s", result.error().message);
  return std::move(result).value();
}

class Handle final : public duckdb::FileHandle {
 public:
  Handle(duckdb::FileSystem& fs, const std::string& path, duckdb::FileOpenFlags flags,
         std::unique_ptr<io::RandomAccessFile> input, std::unique_ptr<io::OutputFile> output)
      : FileHandle(fs, path, flags), input(std::move(input)), output(std::move(output)) {}

  void Close() override {
    if (output != nullptr) Check(output->Close());
    output.reset();
    input.reset();
  }

  std::unique_ptr<io::RandomAccessFile> input;
  std::unique_ptr<io::OutputFile> output;
  int64_t position = 0;
};

class AdaptedFileSystem final : public duckdb::FileSystem {
 public:
  AdaptedFileSystem(io::FileSystem& files, ReadAhead& read_ahead)
      : files_(files), read_ahead_(read_ahead) {}
  bool CanHandleFile(const std::string& path) override { return path.starts_with(kPrefix); }
  std::string GetName() const override { return "iceblink"; }

  duckdb::unique_ptr<duckdb::FileHandle> OpenFile(
      const std::string& path, duckdb::FileOpenFlags flags,
      duckdb::optional_ptr<duckdb::FileOpener>) override {
    if (flags.OpenForWriting()) {
      auto file = Take(files_.Create(Location(path), io::WriteMode::kReplace));
      return duckdb::make_uniq<Handle>(*this, path, flags, nullptr, std::move(file));
    }
    auto file = Take(files_.OpenRead(Location(path)));
    return duckdb::make_uniq<Handle>(*this, path, flags, std::move(file), nullptr);
  }

  void Read(duckdb::FileHandle& handle, void* buffer, int64_t bytes,
            duckdb::idx_t location) override {
    Check(handle.Cast<Handle>().input->ReadAt(static_cast<int64_t>(location), bytes,
                                              static_cast<char*>(buffer)));
  }
  int64_t Read(duckdb::FileHandle& handle, void* buffer, int64_t bytes) override {
    Handle& h = handle.Cast<Handle>();
    bytes = std::min(bytes, h.input->size() - h.position);
    Check(h.input->ReadAt(h.position, bytes, static_cast<char*>(buffer)));
    h.position += bytes;
    return bytes;
  }
  int64_t Write(duckdb::FileHandle& handle, void* buffer, int64_t bytes) override {
    Check(handle.Cast<Handle>().output->Append(
        {static_cast<char*>(buffer), static_cast<size_t>(bytes)}));
    return bytes;
  }
  void Write(duckdb::FileHandle& handle, void* buffer, int64_t bytes, duckdb::idx_t) override {
    Write(handle, buffer, bytes);
  }
  int64_t GetFileSize(duckdb::FileHandle& handle) override {
    Handle& h = handle.Cast<Handle>();
    return h.input != nullptr ? h.input->size() : h.output->position();
  }
  duckdb::timestamp_t GetLastModifiedTime(duckdb::FileHandle&) override {
    return duckdb::timestamp_t(0);
  }
  duckdb::FileType GetFileType(duckdb::FileHandle&) override {
    return duckdb::FileType::FILE_TYPE_REGULAR;
  }
  void FileSync(duckdb::FileHandle&) override {}
  void Seek(duckdb::FileHandle& handle, duckdb::idx_t location) override {
    handle.Cast<Handle>().position = static_cast<int64_t>(location);
  }
  duckdb::idx_t SeekPosition(duckdb::FileHandle& handle) override {
    return static_cast<duckdb::idx_t>(handle.Cast<Handle>().position);
  }
  bool CanSeek() override { return true; }
  bool OnDiskFile(duckdb::FileHandle&) override { return false; }
  bool FileExists(const std::string& path, duckdb::optional_ptr<duckdb::FileOpener>) override {
    return Take(files_.Exists(Location(path)));
  }
  bool DirectoryExists(const std::string&, duckdb::optional_ptr<duckdb::FileOpener>) override {
    return true;
  }
  void CreateDirectory(const std::string&, duckdb::optional_ptr<duckdb::FileOpener>) override {}
  // A pattern stands for what lies below the folder before its first wild card; the name of a file
  // that is there stands for itself, also with such characters in it.
  duckdb::vector<duckdb::OpenFileInfo> Glob(const std::string& path, duckdb::FileOpener*) override {
    duckdb::vector<duckdb::OpenFileInfo> out;
    const size_t wild = path.find_first_of("*?[");
    if (wild == std::string::npos || Take(files_.Exists(Location(path)))) {
      out.emplace_back(path);
      return out;
    }
    const std::string folder = Location(path.substr(0, path.rfind('/', wild)));
    Check(files_.List(folder, true, [&](const io::FileInfo& file) -> Status {
      const std::string name = DuckDbPath(file.path);
      if (::fnmatch(path.c_str(), name.c_str(), FNM_PATHNAME) == 0) out.emplace_back(name);
      return {};
    }));
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return out;
  }
  void RemoveFile(const std::string& path, duckdb::optional_ptr<duckdb::FileOpener>) override {
    Check(files_.Delete(Location(path)));
  }

 protected:
  bool SupportsOpenFileExtended() const override { return true; }
  duckdb::unique_ptr<duckdb::FileHandle> OpenFileExtended(
      const duckdb::OpenFileInfo& info, duckdb::FileOpenFlags flags,
      duckdb::optional_ptr<duckdb::FileOpener> opener) override {
    if (info.extended_info == nullptr || flags.OpenForWriting())
      return OpenFile(info.path, flags, opener);
    const auto size = info.extended_info->options.find(kSizeOption);
    if (size == info.extended_info->options.end()) return OpenFile(info.path, flags, opener);
    read_ahead_.Opened(Location(info.path));
    auto file = Take(files_.OpenSized(Location(info.path), size->second.GetValue<int64_t>()));
    return duckdb::make_uniq<Handle>(*this, info.path, flags, std::move(file), nullptr);
  }

 private:
  io::FileSystem& files_;
  ReadAhead& read_ahead_;
};

}  // namespace

duckdb::unique_ptr<duckdb::FileSystem> MakeDuckDbFileSystem(io::FileSystem& files,
                                                            ReadAhead& read_ahead) {
  return duckdb::make_uniq<AdaptedFileSystem>(files, read_ahead);
}

duckdb::OpenFileInfo DuckDbFile(const std::string& location, int64_t size) {
  duckdb::OpenFileInfo info(DuckDbPath(location));
  if (!info.path.starts_with(kPrefix)) return info;
  info.extended_info = duckdb::make_shared_ptr<duckdb::ExtendedOpenFileInfo>();
  info.extended_info->options[kSizeOption] = duckdb::Value::BIGINT(size);
  info.extended_info->options["validate_external_file_cache"] = duckdb::Value::BOOLEAN(false);
  return info;
}

std::string DuckDbPath(const std::string& location) {
  std::string_view scheme = io::Scheme(location);
  if (scheme.empty() || scheme == "file") return io::LocalPath(location);
  return std::string(kPrefix) + location;
}

}  // namespace iceblink::exec
