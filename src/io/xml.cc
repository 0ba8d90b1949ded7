#include "io/xml.h"

#include <array>

#include "base/strings.h"

namespace iceblink::io {
namespace {

constexpr int kMaxDepth = 64;

struct Entity {
  std::string_view name;
  char character;
};
constexpr std::array kEntities = {Entity{"amp", '&'}, Entity{"lt", '<'}, Entity{"gt", '>'},
                                  Entity{"quot", '"'}, Entity{"apos", '\''}};

tl::unexpected<Error> Malformed(std::string_view what) {
  return Fail(ErrorCode::kCorrupt, "Malformed XML: " + std::string(what));
}

// "&amp;" and "&#x26;" as characters; what is no entity stays.
std::string Resolve(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    const size_t end = text[i] == '&' ? text.find(';', i) : std::string_view::npos;
    if (end == std::string_view::npos || end - i > 10) {
      out += text[i];
      continue;
    }
    const std::string_view name = text.substr(i + 1, end - i - 1);
    const size_t before = out.size();
    for (const Entity& entity : kEntities) {
      if (entity.name == name) out += entity.character;
    }
    if (name.starts_with('#')) {
      const bool hex = name.size() > 1 && name[1] == 'x';
      const std::string digits(name.substr(hex ? 2 : 1));
      AppendUtf8(static_cast<uint32_t>(std::strtoul(digits.c_str(), nullptr, hex ? 16 : 10)), out);
    }
    if (out.size() == before) {
      out += '&';
    } else {
      i = end;
    }
  }
  return out;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  // Everything up to the document's element.
  Status SkipProlog() {
    while (true) {
      const size_t open = rest_.find('<');
      if (open == std::string_view::npos) return Malformed("no element");
      rest_.remove_prefix(open);
      if (!rest_.starts_with("<?") && !rest_.starts_with("<!")) return {};
      RETURN_IF_ERROR(SkipPast(rest_.starts_with("<!--") ? "-->" : ">"));
    }
  }

  // Requires that the text begins with the element's '<'.
  Result<XmlElement> Element(int depth) {
    if (depth > kMaxDepth) return Malformed("too deep");
    const size_t end = rest_.find('>');
    if (end == std::string_view::npos) return Malformed("open tag");
    std::string_view tag = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    const bool empty = tag.ends_with('/');
    tag = tag.substr(0, tag.find_first_of(" \t\r\n/"));
    XmlElement out;
    out.name = tag.substr(tag.find(':') == std::string_view::npos ? 0 : tag.find(':') + 1);
    if (out.name.empty()) return Malformed("tag without name");
    if (!empty) RETURN_IF_ERROR(Content(depth, out));
    return out;
  }

 private:
  Status SkipPast(std::string_view what) {
    const size_t at = rest_.find(what);
    if (at == std::string_view::npos) return Malformed("end of text");
    rest_.remove_prefix(at + what.size());
    return {};
  }

  Status Content(int depth, XmlElement& element) {
    while (true) {
      const size_t open = rest_.find('<');
      if (open == std::string_view::npos) return Malformed(element.name + " is not closed");
      element.text += Resolve(rest_.substr(0, open));
      rest_.remove_prefix(open);
      if (rest_.starts_with("</")) return SkipPast(">");
      if (rest_.starts_with("<![CDATA[")) {
        rest_.remove_prefix(9);
        element.text += rest_.substr(0, rest_.find("]]>"));
        RETURN_IF_ERROR(SkipPast("]]>"));
      } else if (rest_.starts_with("<!") || rest_.starts_with("<?")) {
        RETURN_IF_ERROR(SkipPast(rest_.starts_with("<!--") ? "-->" : ">"));
      } else {
        ASSIGN_OR_RETURN(XmlElement child, Element(depth + 1));
        element.children.push_back(std::move(child));
      }
    }
  }

  std::string_view rest_;
};

}  // namespace

const XmlElement* XmlElement::Find(std::string_view child) const {
  for (const XmlElement& element : children) {
    if (element.name == child) return &element;
  }
  return nullptr;
}

const XmlElement* XmlElement::FindDeep(std::string_view descendant) const {
  if (name == descendant) return this;
  for (const XmlElement& element : children) {
    if (const XmlElement* found = element.FindDeep(descendant)) return found;
  }
  return nullptr;
}

std::string XmlElement::Text(std::string_view child) const {
  const XmlElement* element = Find(child);
  return element == nullptr ? std::string() : std::string(Trim(element->text));
}

Result<XmlElement> ParseXml(std::string_view text) {
  Parser parser(text);
  RETURN_IF_ERROR(parser.SkipProlog());
  return parser.Element(0);
}

std::string EscapeXml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const Entity* found = nullptr;
    for (const Entity& entity : kEntities) {
      if (entity.character == c) found = &entity;
    }
    if (found == nullptr) {
      out += c;
    } else {
      out += '&';
      out += found->name;
      out += ';';
    }
  }
  return out;
}

}  // namespace iceblink::io
