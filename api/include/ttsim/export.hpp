// What libttsim.so shows; everything else in it is hidden.
#pragma once

#define TTSIM_API __attribute__((visibility("default")))
