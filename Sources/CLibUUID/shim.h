#ifndef CUUID_SHIM_H
#define CUUID_SHIM_H

#include <uuid/uuid.h>

#endif
