#include "base/json_text.hpp"

namespace ttsim::impl {

using OrderedJson = nlohmann::ordered_json;

std::string json_document(const OrderedJson& object) {
    OrderedJson document{{"schema_version", json_schema_version}};
    document.update(object);
    return document.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace ttsim::impl
