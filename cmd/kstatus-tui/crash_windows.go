package main

// abortOnFatal does nothing: Windows has no SIGABRT, and its exit code for what
// cannot be caught is Go's 2.
func abortOnFatal() {}
