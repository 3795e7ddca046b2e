// libsystemd: the event loop, socket activation, journal entries and this boot's id.
#ifndef CSYSTEMD_SHIM_H
#define CSYSTEMD_SHIM_H

#include <sys/epoll.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>

#endif
