// SPDX-License-Identifier: BSD-3-Clause
// Everything of gckn in one include.
#pragma once

#include "gckn/cross_validation.h"  // IWYU pragma: export
#include "gckn/datasets.h"          // IWYU pragma: export
#include "gckn/equal_graphs.h"      // IWYU pragma: export
#include "gckn/error.h"             // IWYU pragma: export
#include "gckn/explain.h"           // IWYU pragma: export
#include "gckn/explanation_page.h"  // IWYU pragma: export
#include "gckn/graph_picture.h"     // IWYU pragma: export
#include "gckn/graph_set.h"         // IWYU pragma: export
#include "gckn/io.h"                // IWYU pragma: export
#include "gckn/kernels.h"           // IWYU pragma: export
#include "gckn/learning.h"          // IWYU pragma: export
#include "gckn/matrix.h"            // IWYU pragma: export
#include "gckn/model.h"             // IWYU pragma: export
#include "gckn/model_file.h"        // IWYU pragma: export
#include "gckn/nearest.h"           // IWYU pragma: export
#include "gckn/network.h"           // IWYU pragma: export
#include "gckn/npy_reader.h"        // IWYU pragma: export
#include "gckn/resumable_output.h"  // IWYU pragma: export
#include "gckn/run_options.h"       // IWYU pragma: export
#include "gckn/scoring.h"           // IWYU pragma: export
#include "gckn/supervised.h"        // IWYU pragma: export
#include "gckn/version.h"           // IWYU pragma: export
