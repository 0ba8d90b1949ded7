// The HTTP client against a server of a few lines, which answers what each test puts into it.
#include "io/http.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace iceblink::io {
namespace {

// Answers every request with the same bytes and then, if told so, closes the connection.
class CannedServer {
 public:
  explicit CannedServer(std::string answer, bool close_after = false)
      : answer_(std::move(answer)), close_after_(close_after) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    socklen_t length = sizeof(address);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { Serve(); });
  }
  ~CannedServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  const std::string& url() const { return url_; }
  int connections() const { return connections_; }
  const std::string& last_request() const { return last_request_; }

 private:
  void Serve() {
    while (true) {
      const int peer = accept(listener_, nullptr, nullptr);
      if (peer < 0) return;
      connections_++;
      char buffer[4096];
      for (ssize_t n; (n = recv(peer, buffer, sizeof(buffer), 0)) > 0;) {
        last_request_.assign(buffer, static_cast<size_t>(n));
        send(peer, answer_.data(), answer_.size(), MSG_NOSIGNAL);
        if (close_after_) break;
      }
      close(peer);
    }
  }
  const std::string answer_;
  const bool close_after_;
  int listener_ = -1;
  std::string url_;
  std::atomic<int> connections_ = 0;
  std::string last_request_;
  std::thread thread_;
};

TEST(Http, SendsAndReceives) {
  HttpResponse response;
  {
    CannedServer server("HTTP/1.1 409 Conflict\r\nContent-Length: 2\r\nX-One: a: b\r\n\r\nhi");
    {
      HttpClient client;
      HttpRequest request{.method = "POST", .url = server.url() + "/p?q=1", .body = "text"};
      request.headers = {{"X-Two", "2"}, {"X-Empty", ""}};
      response = client.Send(request).value();
      EXPECT_TRUE(client.Send(request));
      EXPECT_EQ(server.connections(), 1);  // kept
    }
    EXPECT_TRUE(server.last_request().starts_with("POST /p?q=1 HTTP/1.1\r\n"));
    EXPECT_NE(server.last_request().find("\r\nX-Two: 2\r\n"), std::string::npos);
    EXPECT_NE(server.last_request().find("\r\nX-Empty:\r\n"), std::string::npos);
    EXPECT_TRUE(server.last_request().ends_with("\r\n\r\ntext"));
  }
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.body, "hi");
  EXPECT_EQ(response.Header("x-one"), "a: b");
  EXPECT_EQ(response.Header("x-none"), "");
}

TEST(Http, TellsUnsentFromUnknown) {
  HttpClient client;
  EXPECT_EQ(client.Send({.url = "http://127.0.0.1:1/x"}).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(client.Send({.url = "ftp://127.0.0.1/x"}).error().code, ErrorCode::kInvalidArgument);
  CannedServer cut("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this", true);
  EXPECT_EQ(client.Send({.url = cut.url()}).error().code, ErrorCode::kIo);
  CannedServer silent("", false);
  EXPECT_EQ(client.Send({.url = silent.url(), .timeout_ms = 50}).error().code, ErrorCode::kIo);
}

TEST(Http, RefusesLargeResponses) {
  HttpClient::Options options;
  options.max_response_bytes = 4;
  HttpClient client(options);
  CannedServer server("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345");
  const auto response = client.Send({.url = server.url()});
  ASSERT_FALSE(response);
  EXPECT_TRUE(response.error().message.ends_with("response larger than 4 bytes"));
}

TEST(Http, HidesSecretsOfUrls) {
  EXPECT_EQ(UrlForMessages("https://user:secret@host:1/a/b?X-Amz-Signature=1#f"),
            "https://host:1/a/b");
  EXPECT_EQ(UrlForMessages("http://host/a@b"), "http://host/a@b");
}

}  // namespace
}  // namespace iceblink::io
