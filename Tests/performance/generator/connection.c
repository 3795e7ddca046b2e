#define _GNU_SOURCE
#include "connection.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { INPUT_CAPACITY = 256 * 1024, LONGEST_NUMBER = 20 };

_Noreturn void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("generator: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static void *allocate(size_t size) {
    void *memory = calloc(1, size);
    if (!memory) fail("out of memory");
    return memory;
}

uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

double cpu_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Histograms: 64 buckets for each power of two, an error below 1.6 %. */

void histogram_add(struct histogram *histogram, uint64_t nanoseconds) {
    size_t bucket = nanoseconds;
    if (nanoseconds >= 64) {
        int shift = 63 - __builtin_clzll(nanoseconds) - 6;
        bucket = (size_t)(shift + 1) * 64 + (size_t)((nanoseconds >> shift) - 64);
    }
    histogram->buckets[bucket]++;
    histogram->count++;
    histogram->sum += (double)nanoseconds;
    if (nanoseconds > histogram->largest) histogram->largest = nanoseconds;
}

static double percentile(const struct histogram *histogram, double share) {
    uint64_t wanted = (uint64_t)(share * (double)histogram->count), passed = 0;
    for (size_t bucket = 0; bucket < 64 * 64; bucket++) {
        passed += histogram->buckets[bucket];
        if (passed <= wanted) continue;
        if (bucket < 64) return (double)bucket / 1e3;
        size_t shift = bucket / 64 - 1;
        return ((double)((uint64_t)(bucket % 64 + 64) << shift) + (double)(1ull << shift) / 2) / 1e3;
    }
    return (double)histogram->largest / 1e3;
}

void histogram_print(const char *prefix, const struct histogram *histogram) {
    printf("\"%sp50_us\":%.1f,\"%sp99_us\":%.1f,\"%sp999_us\":%.1f", prefix, percentile(histogram, .5), prefix,
           percentile(histogram, .99), prefix, percentile(histogram, .999));
}

/* Requests */

struct request request_parse(const char *text) {
    struct request request = { .count = 0 };
    while (request.count < 15) {
        const char *id = strstr(text, "%ID%"), *value = strstr(text, "%VALUE%");
        const char *mark = !value || (id && id < value) ? id : value;
        if (!mark) break;
        struct piece *piece = &request.pieces[request.count++];
        *piece = (struct piece){ text, (size_t)(mark - text), mark == id ? MARK_ID : MARK_VALUE };
        request.literal_size += piece->size;
        text = mark + (mark == id ? 4 : 7);
    }
    request.pieces[request.count++] = (struct piece){ text, strlen(text), MARK_NONE };
    request.literal_size += strlen(text);
    return request;
}

static size_t put(char *place, const char *bytes, size_t size) {
    memcpy(place, bytes, size);
    return size;
}

static size_t put_number(char *place, uint64_t number) {
    char digits[LONGEST_NUMBER];
    size_t start = LONGEST_NUMBER;
    do digits[--start] = (char)('0' + number % 10); while (number /= 10);
    return put(place, digits + start, LONGEST_NUMBER - start);
}

uint64_t connection_add_request(struct connection *connection, const struct options *options) {
    static uint64_t last_id;
    uint64_t id = ++last_id;
    const struct request *request = &options->requests[options->request_count == 2 ? id % 2 : 0];
    size_t most = request->literal_size + 16 * (LONGEST_NUMBER + options->longest_value) + 1;
    if (connection->out_end + most > connection->out_capacity) {
        connection->out_capacity = 2 * connection->out_capacity + most;
        connection->out = realloc(connection->out, connection->out_capacity);
        if (!connection->out) fail("out of memory");
    }
    char *start = connection->out + connection->out_end, *place = start;
    for (int index = 0; index < request->count; index++) {
        const struct piece *piece = &request->pieces[index];
        place += put(place, piece->text, piece->size);
        if (piece->mark_after == MARK_ID) place += put_number(place, id);
        if (piece->mark_after == MARK_VALUE) {
            const char *value = options->values[(size_t)connection->number % options->value_count];
            place += put(place, value, strlen(value));
        }
    }
    *place++ = '\n';
    connection->out_end += (size_t)(place - start);
    return id;
}

/* Connections */

static int connect_to(const char *path) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) fail("the path is too long: %s", path);
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) fail("socket: %s", strerror(errno));
    for (int tries = 0; connect(fd, (struct sockaddr *)&address, sizeof address) < 0; tries++) {
        if (errno != EAGAIN || tries == 2000) fail("cannot connect to %s: %s", path, strerror(errno));
        usleep(1000);
    }
    return fd;
}

void connection_open(struct connection *connection, const struct options *options, int number, int epoll) {
    *connection = (struct connection){ .fd = connect_to(options->path), .number = number, .out_capacity = 4096 };
    connection->in = allocate(INPUT_CAPACITY);
    connection->out = allocate(connection->out_capacity);
    connection->sent = allocate((size_t)options->in_flight * sizeof *connection->sent);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = connection };
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, connection->fd, &event) < 0) fail("epoll_ctl: %s", strerror(errno));
}

void connection_close(struct connection *connection) {
    close(connection->fd);
    free(connection->in);
    free(connection->out);
    free(connection->sent);
}

void connection_unblock(struct connection *connection) {
    fcntl(connection->fd, F_SETFL, fcntl(connection->fd, F_GETFL) | O_NONBLOCK);
}

void connection_subscribe(struct connection *connection, const struct options *options) {
    size_t size = strlen(options->subscribe);
    struct timeval patience = { (time_t)options->patience, 0 };
    setsockopt(connection->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    memcpy(connection->in, options->subscribe, size);
    connection->in[size] = '\n';
    if (write(connection->fd, connection->in, size + 1) != (ssize_t)size + 1) fail("cannot subscribe");
    char *line;
    for (int lines = 0; lines < options->subscribe_lines;) {
        if (connection_next(connection, 1, &line)) lines++;
        else if (!connection_read(connection)) fail("no answer to the subscription");
    }
}

static void watch(struct connection *connection, int epoll, bool wants_to_write) {
    if (connection->wants_to_write == wants_to_write) return;
    connection->wants_to_write = wants_to_write;
    uint32_t events = EPOLLIN | (wants_to_write ? EPOLLOUT : 0u);
    struct epoll_event event = { .events = events, .data.ptr = connection };
    epoll_ctl(epoll, EPOLL_CTL_MOD, connection->fd, &event);
}

void connection_send(struct connection *connection, int epoll) {
    while (connection->out_start < connection->out_end) {
        ssize_t count = write(connection->fd, connection->out + connection->out_start,
                              connection->out_end - connection->out_start);
        if (count < 0 && errno == EAGAIN) {
            watch(connection, epoll, true);
            return;
        }
        if (count < 0) fail("write: %s", strerror(errno));
        connection->out_start += (size_t)count;
    }
    connection->out_start = connection->out_end = 0;
    watch(connection, epoll, false);
}

bool connection_read(struct connection *connection) {
    ssize_t count =
        read(connection->fd, connection->in + connection->in_end, INPUT_CAPACITY - connection->in_end);
    if (count < 0 && errno == EAGAIN) return false;
    if (count <= 0) fail("the server closed connection %d", connection->number);
    connection->in_end += (size_t)count;
    return true;
}

size_t connection_next(struct connection *connection, int lines, char **message) {
    while (connection->in_scanned < connection->in_end) {
        char *from = connection->in + connection->in_scanned;
        char *end = memchr(from, '\n', connection->in_end - connection->in_scanned);
        if (!end) {
            connection->in_scanned = connection->in_end;
            return 0;
        }
        connection->in_scanned = (size_t)(end - connection->in) + 1;
        if (++connection->lines_seen < lines) continue;
        connection->lines_seen = 0;
        *message = connection->in + connection->in_start;
        size_t size = connection->in_scanned - connection->in_start;
        connection->in_start = connection->in_scanned;
        return size;
    }
    return 0;
}

void connection_compact(struct connection *connection) {
    if (connection->in_start == connection->in_end) {
        connection->in_start = connection->in_scanned = connection->in_end = 0;
        return;
    }
    if (connection->in_end < INPUT_CAPACITY / 2) return;
    memmove(connection->in, connection->in + connection->in_start, connection->in_end - connection->in_start);
    connection->in_scanned -= connection->in_start;
    connection->in_end -= connection->in_start;
    connection->in_start = 0;
    if (connection->in_end == INPUT_CAPACITY) fail("a message is too large");
}

/* Messages */

bool contains(const char *message, size_t size, const char *mark) {
    return mark && memmem(message, size, mark, strlen(mark));
}

bool find_id(const char *message, size_t size, const char *key, uint64_t *id) {
    const char *end = message + size, *place = memmem(message, size, key, strlen(key));
    if (!place) return false;
    place += strlen(key);
    if (place == end || !isdigit((unsigned char)*place)) return false;
    for (*id = 0; place < end && isdigit((unsigned char)*place); place++) *id = *id * 10 + (uint64_t)(*place - '0');
    return true;
}
