# SPDX-License-Identifier: BSD-3-Clause
# Finds Graphviz as Debian has it (libgraphviz-dev): GRAPHVIZ_INCLUDE_DIR with graphviz/gvc.h, and GRAPHVIZ_FILE, its part that
# lays out undirected graphs. A program loads that file by its path, as it does not lie where the system looks for libraries,
# and with it the libraries that it needs.
find_path(GRAPHVIZ_INCLUDE_DIR graphviz/gvc.h)
find_library(GRAPHVIZ_NEATO_LIBRARY gvplugin_neato_layout PATH_SUFFIXES graphviz)
if(GRAPHVIZ_NEATO_LIBRARY)
  # The name with the version of its interface: the other one comes with the headers, which those who run gckn need not have.
  file(REAL_PATH ${GRAPHVIZ_NEATO_LIBRARY} graphviz_file)
  string(REGEX REPLACE "(\\.so\\.[0-9]+)\\.[0-9.]+$" "\\1" GRAPHVIZ_FILE ${graphviz_file})
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Graphviz REQUIRED_VARS GRAPHVIZ_NEATO_LIBRARY GRAPHVIZ_INCLUDE_DIR)
mark_as_advanced(GRAPHVIZ_NEATO_LIBRARY GRAPHVIZ_INCLUDE_DIR)
