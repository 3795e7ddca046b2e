#include "clinux.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <wchar.h>

#define RETRY(call)                          \
  ({                                         \
    __typeof__(call) result_;                \
    do {                                     \
      result_ = (call);                      \
    } while (result_ < 0 && errno == EINTR); \
    result_ < 0 ? -errno : result_;          \
  })

int clinux_return_large_buffers(void) {
  return mallopt(M_MMAP_THRESHOLD, 128 * 1024) && mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
}

int clinux_accept(int listener) {
  return RETRY(accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

size_t clinux_unix_path_limit(void) {
  return sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
}

// Fills in an address; returns its length. The family's zero byte after the path counts for a path
// only: in the abstract namespace it would be part of the name.
static socklen_t set_address(struct sockaddr_un *address, const char *path, size_t count) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  memcpy(address->sun_path, path, count);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count);
}

int clinux_unix_bind(int fd, const char *path) {
  size_t count = strlen(path);
  if (count == 0) return -ENOENT;
  if (count > clinux_unix_path_limit()) return -ENAMETOOLONG;
  struct sockaddr_un address;
  socklen_t length = set_address(&address, path, count + 1);
  return RETRY(bind(fd, (struct sockaddr *)&address, length));
}

int clinux_unix_connect(int fd, const char *path) {
  size_t count = strlen(path);
  if (count == 0) return -ENOENT;
  if (count > clinux_unix_path_limit()) return -ENAMETOOLONG;
  struct sockaddr_un address;
  socklen_t length = set_address(&address, path, count + 1);
  return RETRY(connect(fd, (struct sockaddr *)&address, length));
}

// The kernel's own limit (SCM_MAX_FD).
enum { most_descriptors = 253 };

int clinux_unix_send_descriptors(
    int fd, const char *path, const void *bytes, size_t count, int flags,
    const int *descriptors, size_t descriptor_count) {
  if (descriptor_count > most_descriptors) return -EINVAL;
  struct iovec vector = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
  struct sockaddr_un address;
  if (path) {
    size_t length = strlen(path);
    if (length == 0) return -ENOENT;
    if (length > clinux_unix_path_limit()) return -ENAMETOOLONG;
    int is_abstract = path[0] == '@';
    message.msg_name = &address;
    message.msg_namelen = set_address(&address, path, is_abstract ? length : length + 1);
    if (is_abstract) address.sun_path[0] = 0;
  }
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(most_descriptors * sizeof(int))];
  } control = {0};
  if (descriptor_count > 0) {
    size_t byte_count = descriptor_count * sizeof(int);
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(byte_count);
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(byte_count);
    memcpy(CMSG_DATA(&control.header), descriptors, byte_count);
  }
  return RETRY((int)sendmsg(fd, &message, flags | MSG_NOSIGNAL));
}

int clinux_receive_descriptors(
    int fd, void *bytes, size_t count, int *descriptors, size_t *descriptor_count) {
  struct iovec vector = {.iov_base = bytes, .iov_len = count};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(most_descriptors * sizeof(int))];
  } control;
  struct msghdr message = {
      .msg_iov = &vector, .msg_iovlen = 1,
      .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  int result = RETRY((int)recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
  *descriptor_count = 0;
  if (result < 0) return result;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    size_t byte_count = part->cmsg_len - CMSG_LEN(0);
    memcpy(descriptors + *descriptor_count, CMSG_DATA(part), byte_count);
    *descriptor_count += byte_count / sizeof(int);
  }
  return result;
}

int clinux_sealed_file(const char *name, const void *bytes, size_t count) {
  int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -errno;
  size_t written = 0;
  int code = 0;
  while (written < count && code == 0) {
    ssize_t part = write(fd, (const char *)bytes + written, count - written);
    if (part > 0) written += (size_t)part;
    else if (part == 0 || errno != EINTR) code = part == 0 ? EIO : errno;
  }
  int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (code == 0 && fcntl(fd, F_ADD_SEALS, seals) < 0) code = errno;
  if (code == 0) return fd;
  close(fd);
  return -code;
}

int clinux_is_sealed(int fd) {
  int wanted = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  int seals = fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & wanted) == wanted;
}

int clinux_peer_credentials(int fd, uid_t *uid, gid_t *gid, pid_t *pid) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -errno;
  *uid = peer.uid;
  *gid = peer.gid;
  *pid = peer.pid;
  return 0;
}

int clinux_peer_groups(int fd, gid_t *groups, size_t *count) {
  socklen_t size = (socklen_t)(*count * sizeof(gid_t));
  int result = getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0 ? -errno : 0;
  if (result == 0 || result == -ERANGE) *count = size / sizeof(gid_t);
  return result;
}

int clinux_forbid_dumps(void) {
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? -errno : 0;
}

const char *clinux_error_text(int code) {
  const char *text = strerrordesc_np(code);
  return text ? text : "Unknown error";
}

int clinux_signal_descriptor(const int *signals, size_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < count; i++) {
    if (sigaddset(&set, signals[i]) < 0) return -errno;
  }
  int code = pthread_sigmask(SIG_BLOCK, &set, NULL);
  return code ? -code : RETRY(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

int clinux_signal_next(int fd) {
  struct signalfd_siginfo info;
  ssize_t count = RETRY(read(fd, &info, sizeof info));
  return count < 0 ? (int)count : (int)info.ssi_signo;
}

int clinux_pipe(int ends[2]) { return RETRY(pipe2(ends, O_CLOEXEC)); }

int clinux_use_unicode(void) { return setlocale(LC_CTYPE, "C.UTF-8") ? 0 : -ENOENT; }

int clinux_character_width(unsigned int scalar) { return wcwidth((wchar_t)scalar); }

int clinux_option_next(
    int argc, char **argv, const char *letters, const struct option *names) {
  opterr = 0;
  return getopt_long(argc, argv, letters, names, NULL);
}

void clinux_option_reset(void) { optind = 0; }

const char *clinux_option_value(void) { return optarg; }

int clinux_option_refused(void) { return optopt; }

int clinux_option_position(void) { return optind; }
