#pragma once

namespace varimesh {

/// For a program to call once, at its start: memory that is freed stays with the process. Matrices of a large problem
/// come and go by the hundred megabytes; to have each from the system anew takes a fifth of the time.
void keep_freed_memory();

/// For a program to call once, at its start: sets some memory aside, which is given back when there is no more. What is
/// needed to say so and to end, such as for freeing JSON, is then found.
void keep_reserve();

}  // namespace varimesh
