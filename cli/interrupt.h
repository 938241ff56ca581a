#pragma once

namespace varimesh::cli {

/// From now on Ctrl-C (a polite kill, a closed terminal) asks for an end instead of making one; the second time it ends
/// the program. A signal that the parent has this program ignore stays ignored.
void watch_interrupts();

/// Whether it was asked for.
bool interrupted();

}  // namespace varimesh::cli
