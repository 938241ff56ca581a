#pragma once

#include "varimesh/cancellation.h"

namespace varimesh::cli {

/// From now on Ctrl-C (a polite kill, a closed terminal) ends the program at once, with its own exit code: nothing is
/// there yet that could be lost. A signal that the parent has this program ignore stays ignored.
void watch_interrupts();

/// From now on there is something to keep: Ctrl-C asks for an end instead of making one; the second time it ends the
/// program.
void protect_results();

/// Whether it was asked for.
bool interrupted();

/// The user, who may ask for it. What is there by then is worth most of a second more.
const Cancellation& user();

}  // namespace varimesh::cli
