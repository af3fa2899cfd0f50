// Scalar code includes it for its types; the vector unit is not there.
#pragma once
#include "../core.h"
