// Command app is the one program of the demo's containers: it serves, or it
// ends, by its arguments.
//
//	app serve PORT
//	app crash CODE MESSAGE
//	app exit CODE
package main

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
)

func main() {
	args := append(os.Args[1:], "", "", "")
	code, _ := strconv.Atoi(args[1])
	switch args[0] {
	case "serve":
		fmt.Println("listening on :" + args[1])
		http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
		fmt.Fprintln(os.Stderr, http.ListenAndServe(":"+args[1], nil))
		os.Exit(1)
	case "crash":
		fmt.Fprintln(os.Stderr, "starting up") // on one stream: a runtime orders the lines of two by chance
		fmt.Fprintln(os.Stderr, args[2])
		os.Exit(code)
	default:
		fmt.Println("done")
		os.Exit(code)
	}
}
