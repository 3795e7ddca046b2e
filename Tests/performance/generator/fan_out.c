/* Fan-out: one publisher keeps so many requests in flight, each of which every subscriber hears of. A request is done
 * when it has been answered and all of its notifications have come. */
#include "connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { RING = 4096 };

struct publication { uint64_t time; int missing; };

struct run {
    const struct options *options;
    int epoll;
    struct connection *publisher;
    struct publication ring[RING];
    uint64_t first_id, next_reply;
    struct histogram latency;
    uint64_t published, delivered, errors, strays;
    int finished; /* since the publisher was last served */
};

static void publish(struct run *run, int count) {
    const struct options *options = run->options;
    for (; count > 0; count--) {
        uint64_t id = connection_add_request(run->publisher, options);
        if (!run->first_id) run->first_id = run->next_reply = id;
        struct publication *publication = &run->ring[id % RING];
        *publication = (struct publication){ now(), options->connections * options->notes_per_request + 1 };
    }
    connection_send(run->publisher, run->epoll);
}

static void note_part(struct run *run, uint64_t id, uint64_t time) {
    struct publication *publication = &run->ring[id % RING];
    if (publication->missing == 0) {
        run->strays++;
    } else if (--publication->missing == 0) {
        histogram_add(&run->latency, time - publication->time);
        run->published++;
        run->finished++;
    }
}

static void serve(struct run *run, struct connection *connection) {
    if (!connection_read(connection)) return;
    const struct options *options = run->options;
    bool is_publisher = connection == run->publisher;
    int lines = is_publisher ? options->lines_per_reply : options->lines_per_note;
    uint64_t time = now();
    char *message;
    for (size_t size; (size = connection_next(connection, lines, &message));) {
        if (contains(message, size, options->error)) run->errors++;
        if (!is_publisher) {
            run->delivered++;
            note_part(run, run->first_id + connection->notes++ / (uint64_t)options->notes_per_request, time);
            continue;
        }
        uint64_t id = run->next_reply++;
        if (options->id_key && !find_id(message, size, options->id_key, &id)) run->strays++;
        note_part(run, id, time);
    }
    connection_compact(connection);
}

int run_fan_out(const struct options *options) {
    static struct run run;
    if (!options->subscribe) fail("fan-out needs --subscribe");
    if (options->in_flight > RING / 2) fail("too many in flight");
    run.options = options;
    run.epoll = epoll_create1(EPOLL_CLOEXEC);
    struct connection *connections = calloc((size_t)options->connections + 1, sizeof *connections);
    if (!connections) fail("out of memory");
    for (int number = 0; number <= options->connections; number++) {
        connection_open(&connections[number], options, number, run.epoll);
        if (number < options->connections) connection_subscribe(&connections[number], options);
        connection_unblock(&connections[number]);
    }
    run.publisher = &connections[options->connections];

    uint64_t start = now(), begin = start + (uint64_t)(options->warm_up * 1e9);
    uint64_t end = begin + (uint64_t)(options->duration * 1e9), last = start;
    uint64_t published_before = 0, delivered_before = 0;
    double cpu = 0;
    bool is_measuring = false, has_stalled = false;
    struct epoll_event events[256];
    publish(&run, options->in_flight);
    for (;;) {
        int count = epoll_wait(run.epoll, events, 256, 100);
        uint64_t time = now();
        if (!is_measuring && time >= begin) {
            is_measuring = true;
            begin = time;
            cpu = cpu_time();
            published_before = run.published;
            delivered_before = run.delivered;
            run.latency = (struct histogram){ .count = 0 };
        }
        if (time >= end) break;
        if (count > 0) last = time;
        has_stalled = time - last > (uint64_t)(options->patience * 1e9);
        if (has_stalled) break;
        for (int index = 0; index < count; index++) {
            struct connection *connection = events[index].data.ptr;
            if (events[index].events & EPOLLOUT) connection_send(connection, run.epoll);
            if (events[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) serve(&run, connection);
            if (run.finished > 0) publish(&run, run.finished);
            run.finished = 0;
        }
    }

    double seconds = (double)(now() - begin) / 1e9;
    for (int number = 0; number <= options->connections; number++) connection_close(&connections[number]);
    printf("{\"rate\":%.1f,\"requests\":%lu,\"published_rate\":%.1f,", (double)(run.delivered - delivered_before) / seconds,
           run.delivered, (double)(run.published - published_before) / seconds);
    histogram_print("", &run.latency);
    printf(",\"served\":%d,\"errors\":%lu,\"strays\":%lu,\"generator_cpu\":%.2f,\"stalled\":%s}\n", options->connections,
           run.errors, run.strays, (cpu_time() - cpu) / seconds, has_stalled ? "true" : "false");
    free(connections);
    close(run.epoll);
    return 0;
}
