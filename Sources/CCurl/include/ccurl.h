// libcurl, loaded when it is first needed.
//
// Linking libcurl brings some thirty more libraries into the process (LDAP, Kerberos, ssh, ...) and
// doubles start-up time and memory; a daemon that has not called out yet needs none of them. So its
// functions sit in a table, which `ccurl_load` fills with dlopen. Swift sees only the inline
// functions below: a setter for each C type in place of the variadic `curl_easy_setopt`.
//
// Nothing but `ccurl_load` may be called before `ccurl_load` has returned 0.
#ifndef CCURL_H
#define CCURL_H

#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  CURLcode (*global_init)(long flags);
  curl_version_info_data *(*version_info)(CURLversion age);

  CURL *(*easy_init)(void);
  void (*easy_cleanup)(CURL *easy);
  void (*easy_reset)(CURL *easy);
  CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
  CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
  const char *(*easy_strerror)(CURLcode code);

  struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
  void (*slist_free_all)(struct curl_slist *list);

  CURLM *(*multi_init)(void);
  CURLMcode (*multi_cleanup)(CURLM *multi);
  CURLMcode (*multi_add_handle)(CURLM *multi, CURL *easy);
  CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *easy);
  CURLMcode (*multi_setopt)(CURLM *multi, CURLMoption option, ...);
  CURLMcode (*multi_socket_action)(CURLM *multi, curl_socket_t socket, int events, int *running);
  CURLMsg *(*multi_info_read)(CURLM *multi, int *remaining);

  CURLU *(*url)(void);
  void (*url_cleanup)(CURLU *url);
  CURLUcode (*url_get)(const CURLU *url, CURLUPart part, char **text, unsigned int flags);
  CURLUcode (*url_set)(CURLU *url, CURLUPart part, const char *text, unsigned int flags);
  void (*free)(void *memory);
} ccurl_table;

// Filled by `ccurl_load`, never changed once that has returned 0.
extern ccurl_table ccurl;

// Loads libcurl.so.4 and initialises it, unless that is done. It is tried again if it failed: there may
// have been no descriptor. Returns 0, or -1 and in `*why` (if `why` is not NULL) one line, for good.
int ccurl_load(const char **why);

// Whether libcurl.so.4 lies in a directory that the loader searches anyway, as it does on a system whose
// packages are whole. If not it may still be found, by the loader's cache: only `ccurl_load` knows.
bool ccurl_is_found(void);

// -- One transfer -----------------------------------------------------------------------------

static inline CURL *ccurl_easy_init(void) { return ccurl.easy_init(); }
static inline void ccurl_easy_cleanup(CURL *easy) { ccurl.easy_cleanup(easy); }
static inline void ccurl_easy_reset(CURL *easy) { ccurl.easy_reset(easy); }

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return ccurl.easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
  return ccurl.easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return ccurl.easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return ccurl.easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_url(CURL *easy, CURLU *url) {
  return ccurl.easy_setopt(easy, CURLOPT_CURLU, url);
}

// `bytes` is valid during the call; what is not taken in full fails the transfer.
typedef size_t (*ccurl_write_function)(char *bytes, size_t one, size_t count, void *context);
static inline CURLcode ccurl_set_write(CURL *easy, ccurl_write_function function, void *context) {
  CURLcode code = ccurl.easy_setopt(easy, CURLOPT_WRITEDATA, context);
  return code ? code : ccurl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, function);
}

// Returns a socket, or CURL_SOCKET_BAD to refuse the address. Asked for new connections only.
typedef curl_socket_t (*ccurl_open_function)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);
static inline CURLcode ccurl_set_open(CURL *easy, ccurl_open_function function, void *context) {
  CURLcode code = ccurl.easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
  return code ? code : ccurl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}

// The address of a socket to be opened, as long as its family says.
static inline const struct sockaddr *ccurl_address(const struct curl_sockaddr *address) {
  return &address->addr;
}

// Returns CURL_PREREQFUNC_OK or _ABORT. Asked once a connection stands (new or kept), TLS included,
// before the first byte of the request.
typedef int (*ccurl_prereq_function)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);
static inline CURLcode ccurl_set_prereq(CURL *easy, ccurl_prereq_function function, void *context) {
  CURLcode code = ccurl.easy_setopt(easy, CURLOPT_PREREQDATA, context);
  return code ? code : ccurl.easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
  return ccurl.easy_getinfo(easy, info, value);
}
static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, int64_t *value) {
  curl_off_t offset = 0;
  CURLcode code = ccurl.easy_getinfo(easy, info, &offset);
  *value = offset;
  return code;
}

// Appends a copy of `text`. Returns the list, or NULL (the list is then as it was).
static inline struct curl_slist *ccurl_list_append(struct curl_slist *list, const char *text) {
  return ccurl.slist_append(list, text);
}
static inline void ccurl_list_free(struct curl_slist *list) { ccurl.slist_free_all(list); }

// -- All transfers ----------------------------------------------------------------------------

static inline CURLM *ccurl_multi_init(void) { return ccurl.multi_init(); }
static inline CURLMcode ccurl_multi_cleanup(CURLM *multi) { return ccurl.multi_cleanup(multi); }
static inline CURLMcode ccurl_multi_add(CURLM *multi, CURL *easy) {
  return ccurl.multi_add_handle(multi, easy);
}
static inline CURLMcode ccurl_multi_remove(CURLM *multi, CURL *easy) {
  return ccurl.multi_remove_handle(multi, easy);
}
static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return ccurl.multi_setopt(multi, option, value);
}

// `events` is CURL_POLL_IN, _OUT, _INOUT or _REMOVE.
typedef int (*ccurl_socket_function)(
    CURL *easy, curl_socket_t socket, int events, void *context, void *socket_context);
static inline CURLMcode ccurl_multi_set_socket(
    CURLM *multi, ccurl_socket_function function, void *context) {
  CURLMcode code = ccurl.multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  return code ? code : ccurl.multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
}

// `milliseconds` is -1 to disarm the one timer.
typedef int (*ccurl_timer_function)(CURLM *multi, long milliseconds, void *context);
static inline CURLMcode ccurl_multi_set_timer(
    CURLM *multi, ccurl_timer_function function, void *context) {
  CURLMcode code = ccurl.multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return code ? code : ccurl.multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
}

// Takes the callbacks away, so that `ccurl_multi_cleanup` calls none.
static inline void ccurl_multi_silence(CURLM *multi) {
  ccurl.multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, (ccurl_socket_function)NULL);
  ccurl.multi_setopt(multi, CURLMOPT_TIMERFUNCTION, (ccurl_timer_function)NULL);
}

static inline CURLMcode ccurl_multi_socket_ready(CURLM *multi, curl_socket_t socket, int events) {
  int running = 0;
  return ccurl.multi_socket_action(multi, socket, events, &running);
}
static inline CURLMcode ccurl_multi_timer_fired(CURLM *multi) {
  int running = 0;
  return ccurl.multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

// Takes the next finished transfer. Returns it and its result, or NULL if none is left.
static inline CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result) {
  for (;;) {
    int remaining = 0;
    CURLMsg *message = ccurl.multi_info_read(multi, &remaining);
    if (!message) return NULL;
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
}

// -- URLs -------------------------------------------------------------------------------------

static inline CURLU *ccurl_url_init(void) { return ccurl.url(); }
static inline void ccurl_url_cleanup(CURLU *url) { ccurl.url_cleanup(url); }
static inline CURLUcode ccurl_url_set(
    CURLU *url, CURLUPart part, const char *text, unsigned int flags) {
  return ccurl.url_set(url, part, text, flags);
}
// On success `*text` must be freed with `ccurl_free`.
static inline CURLUcode ccurl_url_get(
    const CURLU *url, CURLUPart part, char **text, unsigned int flags) {
  return ccurl.url_get(url, part, text, flags);
}
static inline void ccurl_free(void *memory) { ccurl.free(memory); }

#endif
