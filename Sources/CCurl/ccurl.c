#include "ccurl.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LIBRARY "libcurl.so.4"

ccurl_table ccurl;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *library;
static int outcome = -1;
static char reason[256];

// The first version with CURLOPT_QUICK_EXIT, without which a look-up that hangs stalls the loop.
enum { OLDEST_VERSION = 0x075700 };

// Puts the function of that name into the table's member of the same name.
#define FIND(member)                                                     \
  do {                                                                   \
    *(void **)&ccurl.member = dlsym(library, "curl_" #member);           \
    if (!ccurl.member) {                                                 \
      snprintf(reason, sizeof reason, "libcurl has no curl_" #member);   \
      return;                                                            \
    }                                                                    \
  } while (0)

static void load(void) {
  if (!library) library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *error = dlerror();
    snprintf(reason, sizeof reason, "%s", error ? error : LIBRARY " cannot be loaded");
    return;
  }
  FIND(global_init);
  FIND(version_info);
  FIND(easy_init);
  FIND(easy_cleanup);
  FIND(easy_reset);
  FIND(easy_setopt);
  FIND(easy_getinfo);
  FIND(easy_strerror);
  FIND(slist_append);
  FIND(slist_free_all);
  FIND(multi_init);
  FIND(multi_cleanup);
  FIND(multi_add_handle);
  FIND(multi_remove_handle);
  FIND(multi_setopt);
  FIND(multi_socket_action);
  FIND(multi_info_read);
  FIND(url);
  FIND(url_cleanup);
  FIND(url_get);
  FIND(url_set);
  FIND(free);

  CURLcode code = ccurl.global_init(CURL_GLOBAL_DEFAULT);
  if (code) {
    snprintf(reason, sizeof reason, "libcurl: %s", ccurl.easy_strerror(code));
    return;
  }
  curl_version_info_data *version = ccurl.version_info(CURLVERSION_NOW);
  if (version->version_num < OLDEST_VERSION) {
    snprintf(reason, sizeof reason, "libcurl %s is too old: 7.87.0 is needed", version->version);
    return;
  }
  if (!(version->features & CURL_VERSION_SSL) || !(version->features & CURL_VERSION_ASYNCHDNS)) {
    snprintf(reason, sizeof reason, "libcurl lacks TLS or asynchronous name look-up");
    return;
  }
  outcome = 0;
}

bool ccurl_is_found(void) {
  // What the program itself was loaded by: its search path is the one that dlopen goes along.
  void *program = dlopen(NULL, RTLD_NOW);
  Dl_serinfo size, *places = NULL;
  bool found = false;
  if (program && dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0 &&
      (places = malloc(size.dls_size)) != NULL) {
    *places = size;
    if (dlinfo(program, RTLD_DI_SERINFO, places) == 0) {
      for (unsigned i = 0; i < places->dls_cnt && !found; i++) {
        char path[PATH_MAX];
        int length = snprintf(path, sizeof path, "%s/" LIBRARY, places->dls_serpath[i].dls_name);
        found = length > 0 && length < (int)sizeof path && access(path, R_OK) == 0;
      }
    }
  }
  free(places);
  if (program) dlclose(program);
  return found;
}

int ccurl_load(const char **why) {
  pthread_mutex_lock(&lock);
  if (outcome) load();
  int result = outcome;
  pthread_mutex_unlock(&lock);
  if (result && why) *why = reason;
  return result;
}
