// Marks symbols that libttsim.so exports; all others are hidden.
#pragma once

#define TTSIM_API __attribute__((visibility("default")))
