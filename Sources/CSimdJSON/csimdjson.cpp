#include "csimdjson.h"

#include <algorithm>
#include <cstring>
#include <new>

#include <simdjson.h>

static_assert(CSIMDJSON_PADDING >= simdjson::SIMDJSON_PADDING, "simdjson reads further");

namespace {

/* Room for the usual request; larger texts double it. */
constexpr size_t smallest_capacity = 16 * 1024;

/* What a trimmed parser keeps. */
constexpr size_t kept_capacity = 256 * 1024;

}  // namespace

struct csimdjson_parser {
  simdjson::dom::parser parser;
  size_t maximum_byte_count;
  size_t maximum_depth;

  csimdjson_parser(size_t maximum_byte_count, size_t maximum_depth)
      : parser(maximum_byte_count),
        maximum_byte_count(maximum_byte_count),
        maximum_depth(maximum_depth) {}

  /* Makes room in parser and document, which simdjson would otherwise fit to each new length. */
  simdjson::error_code set_capacity(size_t capacity) noexcept {
    auto error = parser.allocate(capacity, maximum_depth);
    return error ? error : parser.doc.allocate(capacity);
  }

  simdjson::error_code reserve(size_t byte_count) noexcept {
    if (byte_count <= parser.capacity() && byte_count <= parser.doc.capacity()) {
      return simdjson::SUCCESS;
    }
    size_t capacity = smallest_capacity;
    while (capacity < byte_count) capacity *= 2;
    return set_capacity(std::max(byte_count, std::min(capacity, maximum_byte_count)));
  }
};

csimdjson_parser *csimdjson_parser_new(size_t maximum_byte_count, size_t maximum_depth) {
  try {
    /* simdjson counts the document itself as a level. */
    return new (std::nothrow) csimdjson_parser(maximum_byte_count, maximum_depth + 1);
  } catch (...) {
    return nullptr;
  }
}

void csimdjson_parser_free(csimdjson_parser *parser) { delete parser; }

csimdjson_status csimdjson_parser_parse(
    csimdjson_parser *parser, const void *text, size_t byte_count,
    csimdjson_document *ret_document) {
  if (byte_count > parser->maximum_byte_count) return CSIMDJSON_TOO_LARGE;
  /* A newer simdjson skips a byte-order mark; here it is an error whatever the version. */
  if (byte_count >= 3 && std::memcmp(text, "\xEF\xBB\xBF", 3) == 0) return CSIMDJSON_INVALID;
  try {
    if (parser->reserve(byte_count)) return CSIMDJSON_NO_MEMORY;
    auto error =
        parser->parser.parse(static_cast<const uint8_t *>(text), byte_count, false).error();
    switch (error) {
      case simdjson::SUCCESS: break;
      case simdjson::DEPTH_ERROR: return CSIMDJSON_TOO_DEEP;
      case simdjson::CAPACITY: return CSIMDJSON_TOO_LARGE;
      case simdjson::MEMALLOC: return CSIMDJSON_NO_MEMORY;
      default: return CSIMDJSON_INVALID;
    }
  } catch (...) {
    return CSIMDJSON_NO_MEMORY;
  }
  ret_document->tape = parser->parser.doc.tape.get();
  ret_document->strings = parser->parser.doc.string_buf.get();
  return CSIMDJSON_OK;
}

void csimdjson_parser_trim(csimdjson_parser *parser) {
  if (parser->parser.capacity() <= kept_capacity) return;
  /* Without memory the parser is left empty, and the next parse tries again. */
  (void)parser->set_capacity(kept_capacity);
}
