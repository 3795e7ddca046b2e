/* A closed-loop load generator for servers that answer lines on a Unix socket; one thread, one JSON line of figures. */
#define _GNU_SOURCE
#include "connection.h"

#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const char usage[] =
    "Usage: generator load|fan-out --path SOCKET --request TEXT [OPTION]...\n"
    "\n"
    "  --request TEXT         one request; %ID% is an increasing number; given twice, taken in turn\n"
    "  --values FILE          lines for %VALUE% in requests, one for each connection\n"
    "  --connections N        callers, or subscribers beside one publisher\n"
    "  --in-flight N          requests in flight on each connection that sends\n"
    "  --error TEXT           a line that has this is an error\n"
    "  --id-key TEXT          the id of a reply follows this; without it replies come in order\n"
    "  --lines-per-reply N    lines of one reply\n"
    "  --subscribe TEXT       fan-out: what each subscriber sends first\n"
    "  --subscribe-lines N    fan-out: lines that answer it\n"
    "  --notes N              fan-out: notifications of one request to each subscriber\n"
    "  --lines-per-note N     fan-out: lines of one notification\n"
    "  --warm-up SECONDS, --duration SECONDS, --cpu N\n";

static void read_values(struct options *options, const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail("cannot read %s", path);
    char *line = NULL;
    size_t capacity = 0;
    for (ssize_t size; (size = getline(&line, &capacity, file)) > 0;) {
        line[strcspn(line, "\n")] = 0;
        options->values = realloc(options->values, (options->value_count + 1) * sizeof *options->values);
        char *value = strdup(line);
        if (!options->values || !value) fail("out of memory");
        options->values[options->value_count++] = value;
        if (strlen(value) > options->longest_value) options->longest_value = strlen(value);
    }
    free(line);
    fclose(file);
    if (options->value_count == 0) fail("%s is empty", path);
}

static int positive(const char *text) {
    int number = atoi(text);
    if (number < 1) fail("expected a positive number, not %s", text);
    return number;
}

static struct options read_options(int argc, char **argv) {
    enum { PATH = 256, REQUEST, VALUES, CONNECTIONS, IN_FLIGHT, ERROR, ID_KEY, LINES_PER_REPLY, SUBSCRIBE,
           SUBSCRIBE_LINES, NOTES, LINES_PER_NOTE, WARM_UP, DURATION, CPU };
    static const struct option rows[] = {
        { "path", 1, NULL, PATH }, { "request", 1, NULL, REQUEST }, { "values", 1, NULL, VALUES },
        { "connections", 1, NULL, CONNECTIONS }, { "in-flight", 1, NULL, IN_FLIGHT }, { "error", 1, NULL, ERROR },
        { "id-key", 1, NULL, ID_KEY }, { "lines-per-reply", 1, NULL, LINES_PER_REPLY },
        { "subscribe", 1, NULL, SUBSCRIBE }, { "subscribe-lines", 1, NULL, SUBSCRIBE_LINES },
        { "notes", 1, NULL, NOTES }, { "lines-per-note", 1, NULL, LINES_PER_NOTE }, { "warm-up", 1, NULL, WARM_UP },
        { "duration", 1, NULL, DURATION }, { "cpu", 1, NULL, CPU }, { NULL, 0, NULL, 0 },
    };
    struct options options = { .lines_per_reply = 1, .lines_per_note = 1, .notes_per_request = 1, .connections = 1,
                               .subscribe_lines = 1, .in_flight = 1, .cpu = -1, .warm_up = .1, .duration = .5,
                               .patience = 5 };
    for (int option; (option = getopt_long(argc, argv, "", rows, NULL)) != -1;) {
        switch (option) {
        case PATH: options.path = optarg; break;
        case REQUEST:
            if (options.request_count == 2) fail("there are two requests at most");
            options.requests[options.request_count++] = request_parse(optarg);
            break;
        case VALUES: read_values(&options, optarg); break;
        case CONNECTIONS: options.connections = positive(optarg); break;
        case IN_FLIGHT: options.in_flight = positive(optarg); break;
        case ERROR: options.error = optarg; break;
        case ID_KEY: options.id_key = optarg; break;
        case LINES_PER_REPLY: options.lines_per_reply = positive(optarg); break;
        case SUBSCRIBE: options.subscribe = optarg; break;
        case SUBSCRIBE_LINES: options.subscribe_lines = positive(optarg); break;
        case NOTES: options.notes_per_request = positive(optarg); break;
        case LINES_PER_NOTE: options.lines_per_note = positive(optarg); break;
        case WARM_UP: options.warm_up = atof(optarg); break;
        case DURATION: options.duration = atof(optarg); break;
        case CPU: options.cpu = atoi(optarg); break;
        default: fputs(usage, stderr); exit(2);
        }
    }
    return options;
}

static void check_values(const struct options *options) {
    for (int index = 0; index < options->request_count; index++) {
        const struct request *request = &options->requests[index];
        for (int piece = 0; piece < request->count; piece++) {
            if (request->pieces[piece].mark_after == MARK_VALUE && !options->values) fail("%%VALUE%% needs --values");
        }
    }
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    bool is_load = strcmp(mode, "load") == 0;
    if (!is_load && strcmp(mode, "fan-out") != 0) {
        fputs(usage, stderr);
        return 2;
    }
    struct options options = read_options(argc - 1, argv + 1);
    if (!options.path || options.request_count == 0) fail("--path and --request are needed");
    check_values(&options);
    if (options.cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)options.cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set) < 0) fail("there is no CPU %d", options.cpu);
    }
    signal(SIGPIPE, SIG_IGN);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    return is_load ? run_load(&options) : run_fan_out(&options);
}
