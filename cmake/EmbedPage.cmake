# SPDX-License-Identifier: BSD-3-Clause
# Joins the files of a page into one and makes it part of a library:
#
#   gckn_embed_page(TARGET FOLDER FUNCTION)   adds to TARGET a source that defines std::string_view gckn::FUNCTION()
#
# FOLDER/index.html names its style sheets and scripts as a page would: <link rel="stylesheet" href="style.css">,
# <script src="page.js"></script>. They take the place of these tags, and their SHA-256 that of {{style-hashes}} and
# {{script-hashes}} in the Content-Security-Policy, which thereby allows these and no others.
#
# CMake reads this file twice: as a module, which defines the function, and as a script, which does the joining.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(GCKN_EMBED_PAGE_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  function(gckn_embed_page target folder function)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
    file(GLOB parts CONFIGURE_DEPENDS ${folder}/*.html ${folder}/*.css ${folder}/*.js)
    add_custom_command(OUTPUT ${output}
                       COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D FUNCTION=${function} -D OUTPUT=${output}
                               -P ${GCKN_EMBED_PAGE_SCRIPT}
                       DEPENDS ${parts} ${GCKN_EMBED_PAGE_SCRIPT}
                       COMMENT "Joining the page of ${folder}" VERBATIM)
    # On its own also in joined builds: clang-tidy, which does not build, would look for it in vain.
    set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE ${output})
  endfunction()
  return()
endif()

# 'sha256-…' of a text, as a Content-Security-Policy writes it: CMake knows SHA-256, but not base64.
function(policy_hash text result)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  string(SHA256 digits "${text}")
  set(base64 "")
  foreach(start RANGE 0 60 6)  # three bytes are four letters; of the last group there are two bytes
    string(SUBSTRING "${digits}00" ${start} 6 group)
    foreach(shift 18 12 6 0)
      math(EXPR letter "(0x${group} >> ${shift}) & 63")
      string(SUBSTRING ${alphabet} ${letter} 1 letter)
      string(APPEND base64 ${letter})
    endforeach()
  endforeach()
  string(SUBSTRING ${base64} 0 43 base64)
  set(${result} "'sha256-${base64}='" PARENT_SCOPE)
endfunction()

# inline(PATTERN ELEMENT HASHES): what the tags like PATTERN name, as ELEMENT, in `page`.
function(inline pattern element hashes)
  set(found "")
  string(REGEX MATCHALL "${pattern}" tags "${page}")
  foreach(tag IN LISTS tags)
    string(REGEX MATCH "(href|src)=\"([^\"]+)\"" name "${tag}")
    file(READ ${FOLDER}/${CMAKE_MATCH_2} text)
    string(TOLOWER "${text}" lower)
    if(lower MATCHES "</${element}|<!--")
      message(FATAL_ERROR "${FOLDER}/${CMAKE_MATCH_2} contains ${CMAKE_MATCH_0}, which would end the element it is put in")
    endif()
    policy_hash("${text}" hash)
    list(APPEND found "${hash}")
    string(REPLACE "${tag}" "<${element}>${text}</${element}>" page "${page}")
  endforeach()
  list(JOIN found " " found)
  string(REPLACE "{{${hashes}}}" "${found}" page "${page}")
  set(page "${page}" PARENT_SCOPE)
endfunction()

file(READ ${FOLDER}/index.html page)
inline("<link rel=\"stylesheet\" href=\"[^\"]+\" ?/?>" style style-hashes)
inline("<script src=\"[^\"]+\"></script>" script script-hashes)
if(page MATCHES "\\)page\"")
  message(FATAL_ERROR "The page contains )page\", which would end the C++ literal it is put in")
endif()
# Compilers need not take literals of more than 65,536 bytes: a new one after every script.
string(REPLACE "</script>" "</script>)page\";\n    text += R\"page(" page "${page}")
file(WRITE ${OUTPUT} "// Made by cmake/EmbedPage.cmake.
#include <string>
#include <string_view>

namespace gckn {

std::string_view ${FUNCTION}();

std::string_view ${FUNCTION}() {
  static const std::string page = [] {
    std::string text;
    text += R\"page(${page})page\";
    return text;
  }();
  return page;
}

}  // namespace gckn
")
