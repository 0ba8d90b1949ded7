// Settings of buckets and tables: encryption, policy, storage class, maintenance, metrics, record
// expiration, tags. A setting is a row of a table, its three operations follow from it.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "server/s3tables_handlers.h"

namespace iceblink::server::s3tables {
namespace {

// A bucket or a table: what carries settings.
struct Carrier {
  std::optional<S3TableBucket> bucket;
  std::optional<S3Table> table;

  Json settings() const {
    auto json = ParseJson(bucket ? bucket->settings : table->settings, "settings");
    return json ? std::move(*json) : Json::object();
  }
  std::string arn(const S3Tables& tables) const {
    return bucket ? tables.BucketArn(bucket->name) : tables.TableArn(*table);
  }
};

// How a request names its carrier.
enum class By : uint8_t { kBucketPath, kTablePath, kTableArnQuery, kResourcePath };

Result<Carrier> CarrierOf(const Call& call, By by) {
  Carrier out;
  std::string arn;
  switch (by) {
    case By::kBucketPath: {
      ASSIGN_OR_RETURN(out.bucket, BucketOf(call));
      return out;
    }
    case By::kTablePath: {
      ASSIGN_OR_RETURN(out.table, TableOf(call));
      return out;
    }
    case By::kTableArnQuery: {
      const std::string* value = call.request.Query("tableArn");
      if (value == nullptr) return BadRequest("tableArn is missing.");
      arn = *value;
      break;
    }
    case By::kResourcePath:
      arn = call.request.Parameter("resourceArn");
      break;
  }
  if (arn.find("/table/") == std::string::npos) {
    ASSIGN_OR_RETURN(out.bucket, call.tables.BucketOfArn(arn));
  } else {
    ASSIGN_OR_RETURN(out.table, call.tables.TableOfArn(arn));
  }
  return out;
}

// Reads, changes and writes the settings; again when another request was in between.
template <typename Change>
Status ChangeSettings(const Call& call, By by, Change change) {
  constexpr int kAttempts = 10;
  for (int i = 0; i < kAttempts; i++) {
    ASSIGN_OR_RETURN(const Carrier carrier, CarrierOf(call, by));
    Json settings = carrier.settings();
    RETURN_IF_ERROR(change(settings));
    ASSIGN_OR_RETURN(const bool done,
                     carrier.bucket
                         ? call.tables.store().SwapSettings(*carrier.bucket, DumpJson(settings))
                         : call.tables.store().SwapSettings(*carrier.table, DumpJson(settings)));
    if (done) return {};
  }
  return Conflict("The settings are being changed by other requests.");
}

// ---- one value under one key ----

struct Setting {
  By by;
  const char* path;
  const char* key;       // in requests, answers and the stored settings
  const char* fallback;  // JSON of the answer when it is not set; null: NotFoundException
  const char* what;      // "The specified <what> does not exist."
  bool can_delete;
  int put_status;          // 0: it is not put
  const char* put_member;  // of the request's body, when it is not `key`
};
constexpr const char* kAes = R"({"sseAlgorithm":"AES256"})";
constexpr const char* kStandard = R"({"storageClass":"STANDARD"})";
constexpr const char* kOff = R"({"status":"disabled"})";
#define BUCKET "/buckets/{tableBucketARN}"
#define TABLE "/tables/{tableBucketARN}/{namespace}/{name}"
constexpr std::array kSettings = {
    Setting{By::kBucketPath, BUCKET "/encryption", "encryptionConfiguration", kAes, "", true, 200},
    Setting{By::kBucketPath, BUCKET "/policy", "resourcePolicy", nullptr, "bucket policy", true,
            200},
    Setting{By::kBucketPath, BUCKET "/storage-class", "storageClassConfiguration", kStandard, "",
            false, 200},
    Setting{By::kTablePath, TABLE "/encryption", "encryptionConfiguration", kAes, "", false, 0},
    Setting{By::kTablePath, TABLE "/policy", "resourcePolicy", nullptr, "table policy", true, 200},
    Setting{By::kTablePath, TABLE "/storage-class", "storageClassConfiguration", kStandard, "",
            false, 0},
    Setting{By::kTableArnQuery, "/table-record-expiration", "configuration", kOff, "", false, 204,
            "value"},
};
#undef BUCKET
#undef TABLE

Result<HttpResponse> GetSetting(Call& call, const Setting& setting) {
  ASSIGN_OR_RETURN(const Carrier carrier, CarrierOf(call, setting.by));
  const Json settings = carrier.settings();
  if (const Json* value = json::Find(settings, setting.key)) return Answer({{setting.key, *value}});
  if (setting.fallback == nullptr)
    return NotFound(fmt::format("The specified {} does not exist.", setting.what));
  ASSIGN_OR_RETURN(const Json fallback, ParseJson(setting.fallback));
  return Answer({{setting.key, fallback}});
}

Result<HttpResponse> PutSetting(Call& call, const Setting& setting) {
  ASSIGN_OR_RETURN(const Json body, BodyOf(call.request));
  const char* member = setting.put_member == nullptr ? setting.key : setting.put_member;
  const Json* value = json::Find(body, member);
  if (value == nullptr) return BadRequest(fmt::format("{} is missing.", member));
  RETURN_IF_ERROR(ChangeSettings(call, setting.by, [&](Json& settings) -> Status {
    settings[setting.key] = *value;
    return {};
  }));
  return HttpResponse::Empty(setting.put_status);
}

Result<HttpResponse> DeleteSetting(Call& call, const Setting& setting) {
  RETURN_IF_ERROR(ChangeSettings(call, setting.by, [&](Json& settings) -> Status {
    settings.erase(setting.key);
    return {};
  }));
  return HttpResponse::Empty();
}

// ---- maintenance: a status and settings per job ----

struct Job {
  const char* type;
  bool of_bucket;
  const char* defaults;  // JSON
};
constexpr std::array kJobs = {
    Job{"icebergCompaction", false, R"({"targetFileSizeMB":512,"strategy":"auto"})"},
    Job{"icebergSnapshotManagement", false,
        R"({"minSnapshotsToKeep":1,"maxSnapshotAgeHours":120})"},
    Job{"icebergUnreferencedFileRemoval", true, R"({"unreferencedDays":3,"nonCurrentDays":10})"},
};

// {"status", "settings": {type: {...}}}: what was set over the defaults.
Json JobConfiguration(const Job& job, const Json& settings) {
  Json out = {{"status", "enabled"}, {"settings", {{job.type, *ParseJson(job.defaults)}}}};
  const Json* maintenance = json::Find(settings, "maintenance");
  const Json* set = maintenance == nullptr ? nullptr : json::Find(*maintenance, job.type);
  if (set != nullptr) out.merge_patch(*set);
  return out;
}

Result<HttpResponse> GetMaintenance(Call& call, bool of_bucket) {
  ASSIGN_OR_RETURN(const Carrier carrier,
                   CarrierOf(call, of_bucket ? By::kBucketPath : By::kTablePath));
  Json configuration = Json::object();
  for (const Job& job : kJobs) {
    if (job.of_bucket == of_bucket)
      configuration[job.type] = JobConfiguration(job, carrier.settings());
  }
  return Answer({{of_bucket ? "tableBucketARN" : "tableARN", carrier.arn(call.tables)},
                 {"configuration", std::move(configuration)}});
}

Result<HttpResponse> PutMaintenance(Call& call, bool of_bucket) {
  const std::string& type = call.request.Parameter("type");
  const Job* known = nullptr;
  for (const Job& job : kJobs) {
    if (job.type == type && job.of_bucket == of_bucket) known = &job;
  }
  if (known == nullptr) return BadRequest("The specified maintenance type is not valid.");
  ASSIGN_OR_RETURN(const Json body, BodyOf(call.request));
  const Json* value = json::Find(body, "value");
  if (value == nullptr || !value->is_object()) return BadRequest("value is missing.");
  RETURN_IF_ERROR(ChangeSettings(call, of_bucket ? By::kBucketPath : By::kTablePath,
                                 [&](Json& settings) -> Status {
                                   Json change = {{"maintenance", {{type, *value}}}};
                                   settings.merge_patch(change);
                                   return {};
                                 }));
  return HttpResponse::Empty();
}

Result<HttpResponse> GetJobStatus(Call& call) {
  ASSIGN_OR_RETURN(const S3Table table, TableOf(call));
  ASSIGN_OR_RETURN(const S3TableBucket bucket, BucketOf(call));
  Json status = Json::object();
  for (const Job& job : kJobs) {
    const Carrier carrier = job.of_bucket ? Carrier{bucket, {}} : Carrier{{}, table};
    const Json configuration = JobConfiguration(job, carrier.settings());
    const bool enabled = configuration["status"] == "enabled";
    status[job.type] = {{"status", enabled ? "Not_Yet_Run" : "Disabled"}};
  }
  return Answer({{"tableARN", call.tables.TableArn(table)}, {"status", std::move(status)}});
}

Result<HttpResponse> GetExpirationJobStatus(Call& call) {
  ASSIGN_OR_RETURN(const Carrier carrier, CarrierOf(call, By::kTableArnQuery));
  const Json settings = carrier.settings();
  const Json* configuration = json::Find(settings, "configuration");
  const bool enabled = configuration != nullptr && configuration->value("status", "") == "enabled";
  return Answer({{"status", enabled ? "NotYetRun" : "Disabled"}});
}

// ---- request metrics: on or off ----

Result<HttpResponse> GetMetrics(Call& call) {
  ASSIGN_OR_RETURN(const Carrier carrier, CarrierOf(call, By::kBucketPath));
  const Json settings = carrier.settings();
  if (!json::Has(settings, "metrics"))
    return NotFound("The specified metrics configuration does not exist.");
  return Answer({{"tableBucketARN", carrier.arn(call.tables)}, {"id", carrier.bucket->id}});
}

Result<HttpResponse> PutMetrics(Call& call) {
  RETURN_IF_ERROR(ChangeSettings(call, By::kBucketPath, [](Json& settings) -> Status {
    settings["metrics"] = true;
    return {};
  }));
  return HttpResponse::Empty();
}

Result<HttpResponse> DeleteMetrics(Call& call) {
  RETURN_IF_ERROR(ChangeSettings(call, By::kBucketPath, [](Json& settings) -> Status {
    settings.erase("metrics");
    return {};
  }));
  return HttpResponse::Empty();
}

// ---- tags ----

Result<HttpResponse> ListTags(Call& call) {
  ASSIGN_OR_RETURN(const Carrier carrier, CarrierOf(call, By::kResourcePath));
  const Json settings = carrier.settings();
  const Json* tags = json::Find(settings, "tags");
  return Answer({{"tags", tags == nullptr ? Json::object() : *tags}});
}

Result<HttpResponse> TagResource(Call& call) {
  ASSIGN_OR_RETURN(const Json body, BodyOf(call.request));
  const Json* tags = json::Find(body, "tags");
  if (tags == nullptr || !tags->is_object()) return BadRequest("tags is missing.");
  RETURN_IF_ERROR(ChangeSettings(call, By::kResourcePath, [&](Json& settings) -> Status {
    for (const auto& [key, value] : tags->items()) settings["tags"][key] = value;
    return {};
  }));
  return Answer(Json::object());
}

Result<HttpResponse> UntagResource(Call& call) {
  RETURN_IF_ERROR(ChangeSettings(call, By::kResourcePath, [&](Json& settings) -> Status {
    for (const auto& [key, value] : call.request.query) {
      if (key == "tagKeys" && json::Has(settings, "tags")) settings["tags"].erase(value);
    }
    return {};
  }));
  return HttpResponse::Json("{}", 204);
}

// ---- replication: not offered ----

Result<HttpResponse> NoReplication(Call&) {
  return NotFound("The specified replication configuration does not exist.");
}
Result<HttpResponse> RefuseReplication(Call&) {
  return BadRequest("Replication is not supported by this service.");
}

}  // namespace

const std::vector<Operation>& SettingOperations() {
  static const std::vector<Operation> operations = {
      {"GET", "/buckets/{tableBucketARN}/maintenance",
       [](Call& call) { return GetMaintenance(call, true); }},
      {"PUT", "/buckets/{tableBucketARN}/maintenance/{type}",
       [](Call& call) { return PutMaintenance(call, true); }},
      {"GET", "/tables/{tableBucketARN}/{namespace}/{name}/maintenance",
       [](Call& call) { return GetMaintenance(call, false); }},
      {"PUT", "/tables/{tableBucketARN}/{namespace}/{name}/maintenance/{type}",
       [](Call& call) { return PutMaintenance(call, false); }},
      {"GET", "/tables/{tableBucketARN}/{namespace}/{name}/maintenance-job-status", GetJobStatus},
      {"GET", "/table-record-expiration-job-status", GetExpirationJobStatus},
      {"GET", "/buckets/{tableBucketARN}/metrics", GetMetrics},
      {"PUT", "/buckets/{tableBucketARN}/metrics", PutMetrics},
      {"DELETE", "/buckets/{tableBucketARN}/metrics", DeleteMetrics},
      {"GET", "/tag/{resourceArn}", ListTags},
      {"POST", "/tag/{resourceArn}", TagResource},
      {"DELETE", "/tag/{resourceArn}", UntagResource},
      {"GET", "/table-bucket-replication", NoReplication},
      {"PUT", "/table-bucket-replication", RefuseReplication},
      {"DELETE", "/table-bucket-replication", NoReplication},
      {"GET", "/table-replication", NoReplication},
      {"PUT", "/table-replication", RefuseReplication},
      {"DELETE", "/table-replication", NoReplication},
      {"GET", "/replication-status", NoReplication},
  };
  return operations;
}

std::vector<HttpRoute> SettingRoutes(const std::shared_ptr<S3Tables>& tables) {
  std::vector<HttpRoute> routes;
  const auto add = [&](const char* method, const Setting& setting, auto handler) {
    routes.push_back({method, setting.path, [tables, &setting, handler](HttpRequest& request) {
                        Call call{*tables, request};
                        return handler(call, setting);
                      }});
  };
  for (const Setting& setting : kSettings) {
    add("GET", setting, GetSetting);
    if (setting.put_status != 0) add("PUT", setting, PutSetting);
    if (setting.can_delete) add("DELETE", setting, DeleteSetting);
  }
  return routes;
}

}  // namespace iceblink::server::s3tables
