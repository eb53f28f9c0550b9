#include "CComparators.h"
