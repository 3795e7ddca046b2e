/* What a durable change costs on this disk without a server around it: commits of 50 rows by SQLite with a flush each,
 * and single appends of 256 bytes with fdatasync. Prints one JSON line.
 *
 *   commits DIRECTORY SECONDS
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 1000, GROUP = 50, RECORD = 256 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void expect(int result, int wanted, sqlite3 *database) {
    if (result == wanted) return;
    fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(database));
    exit(1);
}

static void step(sqlite3_stmt *statement, sqlite3 *database) {
    expect(sqlite3_step(statement), SQLITE_DONE, database);
    sqlite3_reset(statement);
}

static sqlite3_stmt *prepare(const char *text, sqlite3 *database) {
    sqlite3_stmt *statement;
    expect(sqlite3_prepare_v2(database, text, -1, &statement, NULL), SQLITE_OK, database);
    return statement;
}

static double committed_rows(const char *directory, double seconds) {
    char path[512];
    snprintf(path, sizeof path, "%s/commits.db", directory);
    sqlite3 *database;
    expect(sqlite3_open(path, &database), SQLITE_OK, database);
    const char *schema = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                         "CREATE TABLE t(id INTEGER PRIMARY KEY, state TEXT, v INTEGER, body TEXT);"
                         "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 1000)"
                         "INSERT INTO t SELECT i, 'free', 0, hex(zeroblob(64)) FROM c;";
    expect(sqlite3_exec(database, schema, NULL, NULL, NULL), SQLITE_OK, database);
    sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE", database), *commit = prepare("COMMIT", database);
    sqlite3_stmt *update = prepare("UPDATE t SET state = 'held', v = v + 1 WHERE id = ?", database);
    double start = now(), end = start + seconds;
    uint64_t rows = 0;
    while (now() < end) {
        step(begin, database);
        for (int index = 0; index < GROUP; index++) {
            sqlite3_bind_int(update, 1, 1 + (int)(rows++ * 7919 % ROWS));
            step(update, database);
        }
        step(commit, database);
    }
    double rate = (double)rows / (now() - start);
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
    sqlite3_finalize(update);
    sqlite3_close(database);
    unlink(path);
    return rate;
}

static double synced_appends(const char *directory, double seconds) {
    char path[512], record[RECORD];
    snprintf(path, sizeof path, "%s/appends", directory);
    memset(record, 'x', sizeof record);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
    double start = now(), end = start + seconds;
    uint64_t count = 0;
    for (; now() < end; count++) {
        if (write(fd, record, sizeof record) != RECORD || fdatasync(fd) != 0) {
            perror(path);
            exit(1);
        }
    }
    double rate = (double)count / (now() - start);
    close(fd);
    unlink(path);
    return rate;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    double seconds = atof(argv[2]);
    printf("{\"rows_per_s\":%.1f,", committed_rows(argv[1], seconds));
    printf("\"appends_per_s\":%.1f}\n", synced_appends(argv[1], seconds / 4));
}
