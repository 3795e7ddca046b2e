/*
 * A plain C face for simdjson's DOM parser: one text in, its tape and its string buffer out.
 *
 * Nothing here throws, and running out of memory is an answer like any other.
 */
#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Readable bytes that must follow the end of a text; their content does not matter. */
#define CSIMDJSON_PADDING 64

/* A parser with its scratch memory and the last text's result. For one thread at a time. */
typedef struct csimdjson_parser csimdjson_parser;

/* What became of a text. */
typedef enum csimdjson_status {
  CSIMDJSON_OK = 0,
  /* Not JSON, not UTF-8, or a number that neither 64 bits nor a double can hold. */
  CSIMDJSON_INVALID = 1,
  /* Nested deeper than the parser's limit. */
  CSIMDJSON_TOO_DEEP = 2,
  /* Longer than the parser's limit. */
  CSIMDJSON_TOO_LARGE = 3,
  /* No memory. The parser stays usable. */
  CSIMDJSON_NO_MEMORY = 4
} csimdjson_status;

/*
 * The result of a parse, owned by the parser and valid until its next call.
 *
 * `tape`: 64-bit words as simdjson's doc/tape.md describes them, type letter in the top byte.
 * `strings`: where `"` words point: 32-bit length, bytes, NUL.
 */
typedef struct csimdjson_document {
  const uint64_t *tape;
  const uint8_t *strings;
} csimdjson_document;

/*
 * Makes a parser, or NULL without memory. An empty container one level below `maximum_depth`
 * still gets through: the caller sees it on the tape.
 */
csimdjson_parser *csimdjson_parser_new(size_t maximum_byte_count, size_t maximum_depth);

/* Ends a parser; NULL is allowed. */
void csimdjson_parser_free(csimdjson_parser *parser);

/*
 * Parses one text in place. `text` has CSIMDJSON_PADDING readable bytes after its end.
 * `ret_document` is set when the answer is CSIMDJSON_OK, otherwise not touched.
 */
csimdjson_status csimdjson_parser_parse(
    csimdjson_parser *parser, const void *text, size_t byte_count,
    csimdjson_document *ret_document);

/* Gives back what a large text made the parser grow to. The last result is no longer valid. */
void csimdjson_parser_trim(csimdjson_parser *parser);

#ifdef __cplusplus
}
#endif

#endif
