/* Loaded before the libraries of a program under test; the program itself is as it is shipped.
 *
 * Numbers the moments at which a crash matters and kills the process at one of them:
 *   before each write to the database (`d`) and to its log (`p` a page, `h` the header of a frame, `H` that of a
 *   frame that ends a transaction), before each flush of either (`y`), also while it has another name;
 *   before it is given its name and after (`l`), before a directory is flushed (`Y`);
 *   before a request is sent (`s`; `m` for more of it), after it has been sent (`t`), after bytes of an answer have
 *   been read (`r`), all of TCP connections.
 * A write that is killed has not happened.
 *
 * CRASHPOINT_TRACE  a file that exists: their number and their letters, as they happen
 * CRASHPOINT_AT     the number to die at; none for 0
 * CLOCK_OFFSET      seconds that the time of day is ahead of the truth, or behind it
 * FLUSHES_FAIL      a file: while it is there, no flush of the database or its log succeeds, and one byte is written to
 *                   it for each that did not
 * BOOT_ID_HIDDEN    set, if the program cannot read which start of the machine this is
 *
 * What it does to its files stands in a journal then, see journal.h.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "journal.h"

#define CAPACITY 65528

struct trace {
    uint64_t count;
    char letters[CAPACITY];
};

static struct trace *trace;
static uint64_t crash_at;
static time_t clock_offset;

/* The function that this library stands before. */
#define NEXT(name)                                                                                                     \
    ({                                                                                                                 \
        static __typeof__(&name) next;                                                                                 \
        if (next == NULL)                                                                                              \
            next = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                                         \
        next;                                                                                                          \
    })

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("CRASHPOINT_TRACE");
    const char *at = getenv("CRASHPOINT_AT");
    const char *offset = getenv("CLOCK_OFFSET");
    crash_at = at == NULL ? 0 : strtoull(at, NULL, 10);
    clock_offset = offset == NULL ? 0 : strtoll(offset, NULL, 10);
    begin_journal();
    if (path == NULL)
        return;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || ftruncate(fd, sizeof *trace) != 0)
        abort();
    trace = mmap(NULL, sizeof *trace, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (trace == MAP_FAILED)
        abort();
    close(fd);
}

static void reach(char letter)
{
    uint64_t number = __atomic_add_fetch(&trace->count, 1, __ATOMIC_SEQ_CST);
    if (number <= CAPACITY)
        trace->letters[number - 1] = letter;
    if (number == crash_at)
        kill(getpid(), SIGKILL);
}

/* `d` for the database, `w` for its log, 0 for anything else. */
static char path_kind(const char *path)
{
    const char *end = strstr(path, ".sqlite");
    if (end == NULL)
        return 0;
    const char *log = strstr(end, "-wal");
    return log != NULL && log[4] == 0 ? 'w' : 'd';
}

static char file_kind(int fd)
{
    char link[32], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0)
        return 0;
    path[length] = 0;
    return path_kind(path);
}

/* Of a frame's header, bytes 4 to 7 are 0 unless the frame ends a transaction. */
static void before_write(int fd, const void *data, size_t size)
{
    static const char none[4];
    if (trace == NULL)
        return;
    int error = errno;
    char kind = file_kind(fd);
    if (kind == 'd')
        reach('d');
    else if (kind == 'w' && size == 24)
        reach(memcmp((const char *)data + 4, none, sizeof none) == 0 ? 'h' : 'H');
    else if (kind == 'w')
        reach(size == 32 ? 'h' : 'p');
    errno = error;
}

static void before_flush(int fd)
{
    int error = errno;
    struct stat status;
    if (trace != NULL && fstat(fd, &status) == 0) {
        if (S_ISDIR(status.st_mode))
            reach('Y');
        else if (file_kind(fd) != 0)
            reach('y');
    }
    errno = error;
}

static int is_tcp(int fd)
{
    int error = errno, domain = 0, type = 0;
    socklen_t size = sizeof domain;
    int known = getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0
        && getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
    errno = error;
    return known && (domain == AF_INET || domain == AF_INET6) && type == SOCK_STREAM;
}

static void before_send(const void *data, size_t size)
{
    int begins = size > 5 && (memcmp(data, "GET ", 4) == 0 || memcmp(data, "POST ", 5) == 0);
    reach(begins ? 's' : 'm');
}

static void after(char letter, ssize_t size)
{
    int error = errno;
    if (size > 0)
        reach(letter);
    errno = error;
}

/* As the kernel does it when the disk has failed: the pages are dropped, and the next flush says that all is well. */
static int fails_to_flush(int fd)
{
    const char *path = getenv("FLUSHES_FAIL");
    if (path == NULL || file_kind(fd) == 0)
        return 0;
    int trigger = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (trigger < 0)
        return 0;
    if (NEXT(write)(trigger, "f", 1) != 1)
        abort();
    close(trigger);
    errno = EIO;
    return 1;
}

/* What is to be flushed is in the journal before the program hears that it was. */
static void note_flush(int fd)
{
    struct stat status;
    if (journal < 0 || loses_flushes || fstat(fd, &status) != 0)
        return;
    if (S_ISDIR(status.st_mode))
        note('F', status.st_ino, 0, NULL, 0);
    else if (file_kind(fd) != 0)
        note('f', status.st_ino, 0, NULL, 0);
}

static void note_write(int fd, const void *data, size_t size, off64_t place)
{
    if (journal >= 0 && file_kind(fd) != 0)
        note_file('w', fd, (uint64_t)place, data, size);
}

static int is_hidden(const char *path)
{
    return strcmp(path, "/proc/sys/kernel/random/boot_id") == 0 && getenv("BOOT_ID_HIDDEN") != NULL;
}

/* Opens a file by the function that this library stands before, and takes down that it was made, or emptied. */
#define OPEN(name, directory, path, flags, ...)                                                                        \
    ({                                                                                                                 \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = ((flags) & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;                                             \
        va_end(rest);                                                                                                  \
        if (is_hidden(path)) {                                                                                         \
            errno = ENOENT;                                                                                            \
            return -1;                                                                                                 \
        }                                                                                                              \
        struct stat status;                                                                                            \
        int is_noted = journal >= 0 && path_kind(path) != 0;                                                           \
        int is_new = is_noted && fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) != 0;                          \
        int fd = NEXT(name)(__VA_ARGS__, path, flags, mode);                                                           \
        if (is_noted && fd >= 0 && is_new && fstat(fd, &status) == 0)                                                  \
            note_name('c', status.st_ino, path);                                                                       \
        else if (is_noted && fd >= 0 && ((flags) & O_TRUNC) != 0)                                                      \
            note_file('t', fd, 0, NULL, 0);                                                                            \
        fd;                                                                                                            \
    })

int openat(int directory, const char *path, int flags, ...)
{
    return OPEN(openat, directory, path, flags, directory);
}

int openat64(int directory, const char *path, int flags, ...)
{
    return OPEN(openat64, directory, path, flags, directory);
}

int open(const char *path, int flags, ...)
{
    return OPEN(openat, AT_FDCWD, path, flags, AT_FDCWD);
}

int open64(const char *path, int flags, ...)
{
    return OPEN(openat64, AT_FDCWD, path, flags, AT_FDCWD);
}

int ftruncate(int fd, off_t size)
{
    if (journal >= 0 && file_kind(fd) != 0)
        note_file('t', fd, (uint64_t)size, NULL, 0);
    return NEXT(ftruncate)(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
    if (journal >= 0 && file_kind(fd) != 0)
        note_file('t', fd, (uint64_t)size, NULL, 0);
    return NEXT(ftruncate64)(fd, size);
}

int unlinkat(int directory, const char *path, int flags)
{
    if (journal >= 0 && path_kind(path) != 0)
        note_name('u', 0, path);
    return NEXT(unlinkat)(directory, path, flags);
}

int unlink(const char *path)
{
    if (journal >= 0 && path_kind(path) != 0)
        note_name('u', 0, path);
    return NEXT(unlink)(path);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    before_write(fd, data, size);
    note_write(fd, data, size, offset);
    return NEXT(pwrite)(fd, data, size, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    before_write(fd, data, size);
    note_write(fd, data, size, offset);
    return NEXT(pwrite64)(fd, data, size, offset);
}

ssize_t write(int fd, const void *data, size_t size)
{
    before_write(fd, data, size);
    if (journal >= 0 && file_kind(fd) != 0)
        abort();
    return NEXT(write)(fd, data, size);
}

int fsync(int fd)
{
    if (fails_to_flush(fd))
        return -1;
    before_flush(fd);
    note_flush(fd);
    return NEXT(fsync)(fd);
}

int fdatasync(int fd)
{
    if (fails_to_flush(fd))
        return -1;
    before_flush(fd);
    note_flush(fd);
    return NEXT(fdatasync)(fd);
}

int linkat(int old_at, const char *old, int new_at, const char *new, int flags)
{
    int is_noted = path_kind(new) != 0;
    int is_counted = trace != NULL && is_noted;
    if (is_counted)
        reach('l');
    int status = NEXT(linkat)(old_at, old, new_at, new, flags);
    int error = errno;
    struct stat linked;
    if (status == 0 && is_noted && fstatat(new_at, new, &linked, AT_SYMLINK_NOFOLLOW) == 0)
        note_name('l', linked.st_ino, new);
    if (is_counted)
        reach('l');
    errno = error;
    return status;
}

ssize_t send(int fd, const void *data, size_t size, int flags)
{
    if (trace == NULL || !is_tcp(fd))
        return NEXT(send)(fd, data, size, flags);
    before_send(data, size);
    ssize_t sent = NEXT(send)(fd, data, size, flags);
    after('t', sent);
    return sent;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (trace == NULL || !is_tcp(fd))
        return NEXT(sendmsg)(fd, message, flags);
    before_send(message->msg_iov[0].iov_base, message->msg_iov[0].iov_len);
    ssize_t sent = NEXT(sendmsg)(fd, message, flags);
    after('t', sent);
    return sent;
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    if (trace == NULL || !is_tcp(fd))
        return NEXT(writev)(fd, parts, count);
    before_send(parts[0].iov_base, parts[0].iov_len);
    ssize_t sent = NEXT(writev)(fd, parts, count);
    after('t', sent);
    return sent;
}

ssize_t recv(int fd, void *data, size_t size, int flags)
{
    ssize_t received = NEXT(recv)(fd, data, size, flags);
    if (trace != NULL && (flags & MSG_PEEK) == 0 && is_tcp(fd))
        after('r', received);
    return received;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int status = NEXT(clock_gettime)(clock, now);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += clock_offset;
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    int status = NEXT(gettimeofday)(now, zone);
    if (status == 0)
        now->tv_sec += clock_offset;
    return status;
}

time_t time(time_t *now)
{
    time_t seconds = NEXT(time)(NULL) + clock_offset;
    if (now != NULL)
        *now = seconds;
    return seconds;
}
