// The entry of libFuzzer, as its library without a `main` has it.
#ifndef CHECKOUTD_FUZZER_H
#define CHECKOUTD_FUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*target)(const uint8_t *data, size_t size));

#endif
