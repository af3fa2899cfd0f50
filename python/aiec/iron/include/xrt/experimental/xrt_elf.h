#pragma once
#include "../../aiec_xrt.h"
