// What Swift's import of glibc leaves out: calls behind _GNU_SOURCE, variadic calls, macros and
// C globals. Unless said otherwise a function returns a value of zero or more, or −errno; EINTR is
// retried; every descriptor it makes is close-on-exec.
#ifndef CLINUX_H
#define CLINUX_H

#include <getopt.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/types.h>

// Has malloc give large buffers back to the system as they are freed, for good: glibc would learn
// from the first of them to keep them. Returns 1, or 0 if it cannot be set.
int clinux_return_large_buffers(void);

// Takes the next connection of a listener; returns its descriptor, which does not block.
int clinux_accept(int listener);

// Binds a Unix socket to a path of at most clinux_unix_path_limit() bytes.
int clinux_unix_bind(int fd, const char *path);

// Connects a Unix socket to a path of at most clinux_unix_path_limit() bytes.
int clinux_unix_connect(int fd, const char *path);

// How many bytes a socket's path may have. Cannot fail.
size_t clinux_unix_path_limit(void);

// Sends one datagram to a path, or, if it begins with '@', to a name in the abstract namespace; to
// the peer if the address is null. The receiver gets copies of the descriptors, at most 253.
int clinux_unix_send_descriptors(
    int fd, const char *address, const void *bytes, size_t count, int flags,
    const int *descriptors, size_t descriptor_count);

// Receives what was sent with at most 253 descriptors, for which there must be room. On return
// *descriptor_count is their number; they do not wait for exec. Returns the number of bytes; zero at
// the end.
int clinux_receive_descriptors(
    int fd, void *bytes, size_t count, int *descriptors, size_t *descriptor_count);

// Makes a file in memory that holds these bytes and cannot be changed any more.
int clinux_sealed_file(const char *name, const void *bytes, size_t count);

// Returns 1 for a file that can neither be changed nor grow nor shrink any more, else 0.
int clinux_is_sealed(int fd);

// Reads who was at the other end of a Unix socket when it was connected (SO_PEERCRED).
int clinux_peer_credentials(int fd, uid_t *uid, gid_t *gid, pid_t *pid);

// Reads the peer's supplementary groups (SO_PEERGROUPS). On entry *count is the room in groups;
// on return it is the number of groups, also when that does not fit (−ERANGE).
int clinux_peer_groups(int fd, gid_t *groups, size_t *count);

// Takes the process out of reach of debuggers and core dumps of others (PR_SET_DUMPABLE 0).
int clinux_forbid_dumps(void);

// Names an error number in English; a static string, never null.
const char *clinux_error_text(int code);

// Keeps signals from this thread and those it starts, and makes a descriptor that can be read when
// one of them has come; it does not block.
int clinux_signal_descriptor(const int *signals, size_t count);

// The number of the signal that came next, or −EAGAIN if none has.
int clinux_signal_next(int fd);

// Makes a pipe: what is written to the second end is read from the first.
int clinux_pipe(int ends[2]);

// Has clinux_character_width know all of Unicode, whatever the environment says. Returns 0, or
// −ENOENT if the C library has no data for that.
int clinux_use_unicode(void);

// How many columns of a terminal a character takes: 0 to 2, or −1 if it is none that is shown.
// Cannot fail.
int clinux_character_width(unsigned int scalar);

// Scans the next option with getopt_long, which stays silent; −1 after the last one. The result is
// the matching entry's val, '?' for an unknown or unexpected one, ':' for a missing value.
int clinux_option_next(
    int argc, char **argv, const char *letters, const struct option *names);

// Starts a new scan. Cannot fail.
void clinux_option_reset(void);

// The value of the option scanned last, or null. Cannot fail.
const char *clinux_option_value(void);

// The letter, or the entry's val, of the option that was refused last; 0 for an unknown name.
int clinux_option_refused(void);

// The index in argv of the argument to be scanned next; after the last option, of the operands.
int clinux_option_position(void);

#endif
