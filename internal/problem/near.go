package problem

import "strings"

// Near returns the choice that word may be a typing error of: the nearest one at a distance of
// at most a third of the word, the first of equally near ones; otherwise the only one that begins
// with it. It is "" if there is none. Any two words of two letters are near each other, so there
// only a swap counts.
func Near(word string, choices []string) string {
	best, least := "", max(1, len(word)/3)
	for _, c := range choices {
		d := Distance(word, c)
		if len(word) < 3 && (word == "" || c != word[1:]+word[:1]) {
			continue
		}
		if 0 < d && d <= least {
			best, least = c, d-1
		}
	}
	if best != "" || len(word) < 2 {
		return best
	}
	for _, c := range choices {
		if c == word || !strings.HasPrefix(c, word) {
			continue
		}
		if best != "" {
			return ""
		}
		best = c
	}
	return best
}

// longestCompared bounds the time of Distance: words may be a stranger's.
const longestCompared = 64

// Distance is the least number of letters that have to be added, removed, replaced or swapped
// with the next one to make b of a.
func Distance(a, b string) int {
	a, b = a[:min(len(a), longestCompared)], b[:min(len(b), longestCompared)]
	var before []int // the row before the previous one
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			replaced := row[j]
			if a[i] != b[j] {
				replaced++
			}
			next[j+1] = min(replaced, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
