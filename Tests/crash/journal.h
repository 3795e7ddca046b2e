/* What a program does to the files of its database, written down so that a power failure can be played:
 * each record is an operation, an inode, a place, a length and so many bytes of data or of a name.
 *
 *   w data at a place, t a length, f a flush of a file; c, l, u a name made, given once more, taken away;
 *   F a flush of the directory
 *
 * DISK_JOURNAL  the file that it is written to
 * DISK_FLUSHES  `lost`, if nothing is flushed though the program is told so
 */
#include <stddef.h>
#include <sys/syscall.h>

struct __attribute__((packed)) record {
    char operation;
    uint64_t inode;
    uint64_t place;
    uint32_t size;
};

static int journal = -1;
static int loses_flushes;

static void begin_journal(void)
{
    const char *path = getenv("DISK_JOURNAL");
    const char *flushes = getenv("DISK_FLUSHES");
    loses_flushes = flushes != NULL && strcmp(flushes, "lost") == 0;
    if (path == NULL)
        return;
    journal = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (journal < 0)
        abort();
}

static void note(char operation, uint64_t inode, uint64_t place, const void *data, size_t size)
{
    struct record record = {operation, inode, place, (uint32_t)size};
    struct iovec parts[] = {{&record, sizeof record}, {(void *)data, size}};
    if (journal < 0)
        return;
    int error = errno;
    if (syscall(SYS_writev, journal, parts, size == 0 ? 1 : 2) != (ssize_t)(sizeof record + size))
        abort();
    errno = error;
}

static void note_file(char operation, int fd, uint64_t place, const void *data, size_t size)
{
    struct stat status;
    if (journal >= 0 && fstat(fd, &status) == 0)
        note(operation, status.st_ino, place, data, size);
}

/* A name, without the directory that it is in. */
static void note_name(char operation, uint64_t inode, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    note(operation, inode, 0, name, strlen(name));
}
