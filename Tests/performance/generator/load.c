/* Requests and replies: keeps so many requests in flight on each of so many connections. */
#include "connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

struct run {
    const struct options *options;
    int epoll;
    struct histogram latency;
    uint64_t replies, errors, strays;
};

static void add_requests(struct connection *connection, const struct options *options, int count) {
    uint64_t time = now();
    for (; count > 0; count--) {
        int place = (connection->oldest + connection->in_flight++) % options->in_flight;
        connection->sent[place] = (struct sent){ connection_add_request(connection, options), time };
    }
}

/* The place in the ring of the request that a message answers; −1 if there is none. */
static int find_request(struct run *run, struct connection *connection, const char *message, size_t size) {
    if (connection->in_flight == 0) return -1;
    if (!run->options->id_key) return connection->oldest;
    uint64_t id;
    if (!find_id(message, size, run->options->id_key, &id)) return -1;
    for (int index = 0; index < connection->in_flight; index++) {
        int place = (connection->oldest + index) % run->options->in_flight;
        if (connection->sent[place].id == id) return place;
    }
    return -1;
}

static void serve(struct run *run, struct connection *connection) {
    if (!connection_read(connection)) return;
    uint64_t time = now();
    int answered = 0;
    char *message;
    for (size_t size; (size = connection_next(connection, run->options->lines_per_reply, &message));) {
        int place = find_request(run, connection, message, size);
        if (place < 0) {
            run->strays++;
            continue;
        }
        if (contains(message, size, run->options->error)) run->errors++;
        histogram_add(&run->latency, time - connection->sent[place].time);
        connection->sent[place] = connection->sent[connection->oldest];
        connection->oldest = (connection->oldest + 1) % run->options->in_flight;
        connection->in_flight--;
        connection->answered++;
        answered++;
    }
    run->replies += (uint64_t)answered;
    connection_compact(connection);
    add_requests(connection, run->options, answered);
    connection_send(connection, run->epoll);
}

int run_load(const struct options *options) {
    static struct run run;
    run.options = options;
    run.epoll = epoll_create1(EPOLL_CLOEXEC);
    struct connection *connections = calloc((size_t)options->connections, sizeof *connections);
    if (!connections) fail("out of memory");
    for (int number = 0; number < options->connections; number++) {
        connection_open(&connections[number], options, number, run.epoll);
        connection_unblock(&connections[number]);
    }
    for (int number = 0; number < options->connections; number++) {
        add_requests(&connections[number], options, options->in_flight);
        connection_send(&connections[number], run.epoll);
    }

    uint64_t start = now(), begin = start + (uint64_t)(options->warm_up * 1e9);
    uint64_t end = begin + (uint64_t)(options->duration * 1e9), last = start, warm_up_replies = 0;
    double cpu = 0;
    bool is_measuring = false, has_stalled = false;
    struct epoll_event events[256];
    for (;;) {
        int count = epoll_wait(run.epoll, events, 256, 100);
        uint64_t time = now();
        if (!is_measuring && time >= begin) {
            is_measuring = true;
            begin = time;
            cpu = cpu_time();
            warm_up_replies = run.replies;
            run.latency = (struct histogram){ .count = 0 };
            for (int number = 0; number < options->connections; number++) connections[number].answered = 0;
        }
        if (time >= end) break;
        if (count > 0) last = time;
        has_stalled = time - last > (uint64_t)(options->patience * 1e9);
        if (has_stalled) break;
        for (int index = 0; index < count; index++) {
            struct connection *connection = events[index].data.ptr;
            if (events[index].events & EPOLLOUT) connection_send(connection, run.epoll);
            if (events[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) serve(&run, connection);
        }
    }

    uint64_t finish = now();
    double seconds = (double)(finish - begin) / 1e9;
    int served = 0;
    for (int number = 0; number < options->connections; number++) {
        served += connections[number].answered > 0;
        connection_close(&connections[number]);
    }
    printf("{\"rate\":%.1f,\"requests\":%lu,", (double)(run.replies - warm_up_replies) / seconds, run.replies);
    histogram_print("", &run.latency);
    printf(",\"served\":%d,\"errors\":%lu,\"strays\":%lu,\"generator_cpu\":%.2f,\"stalled\":%s}\n", served, run.errors,
           run.strays, (cpu_time() - cpu) / seconds, has_stalled ? "true" : "false");
    free(connections);
    close(run.epoll);
    return 0;
}
