// The XML of cloud services' answers, as a tree: elements and their text. Attributes, comments,
// processing instructions and namespaces are passed over. Pure, safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace iceblink::io {

struct XmlElement {
  std::string name;  // without namespace prefix
  std::string text;  // of the element itself, entities resolved
  std::vector<XmlElement> children;

  // The first child of this name; null when there is none.
  const XmlElement* Find(std::string_view child) const;
  // The first element of this name at any depth, depth first; null when there is none.
  const XmlElement* FindDeep(std::string_view descendant) const;
  // The text of Find, "" when there is none.
  std::string Text(std::string_view child) const;
};

// kCorrupt when `text` is no XML or nests deeper than 64.
Result<XmlElement> ParseXml(std::string_view text);
// Text with &, <, > and quotes as entities.
std::string EscapeXml(std::string_view text);

}  // namespace iceblink::io
