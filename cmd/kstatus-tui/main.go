// Command kstatus-tui follows what an apply asked for, together with
// everything generated from it, and says whether it is done, moving or stuck.
package main

func main() {}
