// Package markup is text whose pieces are marked with their meaning. A theme, which
// the screen has, decides how each looks. It also knows how many cells text takes on
// a terminal, and how it is shortened and wrapped.
package markup
