// Where the modules of this build are: beside the program (a build tree) or in lib/ beside its
// folder (an installation). Their names say that they are loaded when first needed.
#pragma once

#include <string>

namespace iceblink::io {

// Returns the path of a module. The environment variable, where it is set, comes before; a module
// that is nowhere is left to the dynamic linker by its bare name.
std::string ModulePath(const char* file_name, const char* variable);

}  // namespace iceblink::io
