/* What both modes of the generator share: options, requests, connections, histograms. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Literal pieces of a request, with a mark between each two. */
enum mark { MARK_NONE, MARK_ID, MARK_VALUE };
struct piece { const char *text; size_t size; enum mark mark_after; };
struct request { struct piece pieces[16]; int count; size_t literal_size; };

struct options {
    const char *path;
    struct request requests[2]; /* taken in turn */
    int request_count;
    char **values; /* the text for %VALUE%, one for each connection, from the start again when they run out */
    size_t value_count, longest_value;
    const char *subscribe; /* sent by each subscriber when it has connected */
    int subscribe_lines;   /* lines that answer it */
    const char *error;     /* a line that has this is an error */
    const char *id_key;    /* the id of a reply follows this; without it replies come in order */
    int lines_per_reply, lines_per_note, notes_per_request;
    int connections, in_flight, cpu;
    double warm_up, duration, patience; /* seconds */
};

struct sent { uint64_t id, time; };

struct connection {
    int fd, number;
    bool wants_to_write;
    char *in;
    size_t in_start, in_scanned, in_end;
    int lines_seen; /* of the message under way */
    char *out;
    size_t out_start, out_end, out_capacity;
    struct sent *sent; /* a ring of requests in flight */
    int oldest, in_flight;
    uint64_t answered, notes;
};

struct histogram { uint64_t buckets[64 * 64], count, largest; double sum; };

_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint64_t now(void);
double cpu_time(void);

void histogram_add(struct histogram *histogram, uint64_t nanoseconds);
void histogram_print(const char *prefix, const struct histogram *histogram);

struct request request_parse(const char *text);

void connection_open(struct connection *connection, const struct options *options, int number, int epoll);
void connection_close(struct connection *connection);
void connection_subscribe(struct connection *connection, const struct options *options);
void connection_unblock(struct connection *connection);
/* Adds a request to what is to be sent, and returns its id. */
uint64_t connection_add_request(struct connection *connection, const struct options *options);
void connection_send(struct connection *connection, int epoll);
/* Reads once; false if nothing was there. */
bool connection_read(struct connection *connection);
/* The next message that has come in whole, as its size; 0 if none has. */
size_t connection_next(struct connection *connection, int lines, char **message);
void connection_compact(struct connection *connection);

bool contains(const char *message, size_t size, const char *mark);
bool find_id(const char *message, size_t size, const char *key, uint64_t *id);

int run_load(const struct options *options);
int run_fan_out(const struct options *options);

#endif
