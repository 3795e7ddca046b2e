/* The least that a server for lines can do: one thread, no parsing, one fixed reply for each line, one write for each
 * connection and turn. A line that begins with S subscribes its connection; each line that begins with P is told of
 * to every subscriber, as often as NOTES says, by lines of BYTES.
 *
 *   echo SOCKET [NOTES [BYTES]]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char reply[] = "{\"jsonrpc\":\"2.0\",\"id\":1234567,\"result\":{\"ok\":true,\"v\":42}}\n";

struct client {
    int fd;
    bool is_at_line_start, is_subscribed, is_dirty, waits_to_write;
    char *out;
    size_t start, end, capacity;
    struct client *next_dirty, *next_subscriber;
};

static int epoll;
static struct client *subscribers, *dirty;
static char note[4096];
static size_t note_size = 80;
static int notes = 1, published;

static void queue(struct client *client, const char *bytes, size_t size, int times) {
    size_t needed = client->end + size * (size_t)times;
    if (needed > client->capacity) {
        client->capacity = needed * 2;
        client->out = realloc(client->out, client->capacity);
        if (!client->out) abort();
    }
    for (; times > 0; times--) {
        memcpy(client->out + client->end, bytes, size);
        client->end += size;
    }
    if (client->is_dirty) return;
    client->is_dirty = true;
    client->next_dirty = dirty;
    dirty = client;
}

static void watch(struct client *client, int operation) {
    struct epoll_event event = { EPOLLIN | (client->waits_to_write ? EPOLLOUT : 0u), { .ptr = client } };
    epoll_ctl(epoll, operation, client->fd, &event);
}

static void flush(struct client *client) {
    ssize_t count = write(client->fd, client->out + client->start, client->end - client->start);
    if (count > 0) client->start += (size_t)count;
    bool is_done = client->start == client->end;
    if (is_done) client->start = client->end = 0;
    if (is_done != client->waits_to_write) return;
    client->waits_to_write = !is_done;
    watch(client, EPOLL_CTL_MOD);
}

static void accept_all(int listener) {
    for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
        struct client *client = calloc(1, sizeof *client);
        if (!client) abort();
        client->fd = fd;
        client->is_at_line_start = true;
        watch(client, EPOLL_CTL_ADD);
    }
}

static void drop(struct client *client) {
    for (struct client **link = &subscribers; *link; link = &(*link)->next_subscriber) {
        if (*link != client) continue;
        *link = client->next_subscriber;
        break;
    }
    for (struct client **link = &dirty; *link; link = &(*link)->next_dirty) {
        if (*link != client) continue;
        *link = client->next_dirty;
        break;
    }
    close(client->fd);
    free(client->out);
    free(client);
}

static void serve(struct client *client) {
    static char in[65536];
    ssize_t count = read(client->fd, in, sizeof in);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return drop(client);
    int lines = 0;
    for (char *place = in, *end = in + count; place < end;) {
        if (client->is_at_line_start && *place == 'S' && !client->is_subscribed) {
            client->is_subscribed = true;
            client->next_subscriber = subscribers;
            subscribers = client;
        } else if (client->is_at_line_start && *place == 'P') {
            published++;
        }
        char *line_feed = memchr(place, '\n', (size_t)(end - place));
        client->is_at_line_start = line_feed;
        if (!line_feed) break;
        lines++;
        place = line_feed + 1;
    }
    if (lines > 0) queue(client, reply, sizeof reply - 1, lines);
}

static int listen_on(const char *path) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) exit(2);
    strcpy(address.sun_path, path);
    unlink(path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) {
        perror(path);
        exit(1);
    }
    return listener;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    if (argc > 2) notes = atoi(argv[2]);
    if (argc > 3) note_size = (size_t)atoi(argv[3]);
    if (note_size < 1 || note_size > sizeof note) return 2;
    memset(note, 'x', sizeof note);
    note[note_size - 1] = '\n';
    signal(SIGPIPE, SIG_IGN);
    int listener = listen_on(argv[1]);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event first = { EPOLLIN, { .ptr = NULL } }, events[256];
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &first);
    for (;;) {
        int count = epoll_wait(epoll, events, 256, -1);
        for (int index = 0; index < count; index++) {
            struct client *client = events[index].data.ptr;
            if (!client) {
                accept_all(listener);
                continue;
            }
            if (events[index].events & EPOLLOUT) flush(client);
            if (events[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) serve(client);
        }
        for (struct client *client = published ? subscribers : NULL; client; client = client->next_subscriber) {
            queue(client, note, note_size, published * notes);
        }
        published = 0;
        while (dirty) {
            struct client *client = dirty;
            dirty = client->next_dirty;
            client->is_dirty = false;
            flush(client);
        }
    }
}
