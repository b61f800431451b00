// Package e2e holds the scenarios that the program must pass on a real control
// plane, as a person at a terminal and as a script sees it: a folder cluster to
// start one, terminal to run the program on a screen, proxy to see what it
// asks. `make e2e` runs them; KSTATUS_TUI_BIN names the program to test, which
// is built where it is not set. The first run compiles Kubernetes. `make e2e-old`
// runs them on a control plane two years older.
//
// The module in the folder writers builds the programs that write inventories in
// the world, Helm and kubectl with ApplySets; `make e2e-writers` compiles them
// (some minutes, once) and runs the scenarios that need them, which `make e2e`
// skips. inventories_test.go has the table of cases and their scenarios.
package e2e
