package object

import (
	"math"
	"strconv"
	"strings"
)

// ParseAmount parses a Kubernetes quantity ("500m", "8Gi", "1e3") in
// thousandths of its unit, rounded up, at most the largest int64. ok is false
// if s is not a quantity.
func ParseAmount(s string) (milli int64, ok bool) {
	digits := strings.TrimRight(s, "numkKMGTPEi")
	scale, known := quantityScale[s[len(digits):]]
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || !known || f < 0 {
		return 0, false
	}
	f = math.Ceil(f*scale*1000 - 1e-6) // 1.1 * 1000 is a little more than 1100
	if f >= math.MaxInt64 {
		return math.MaxInt64, true
	}
	return int64(max(f, 0)), true
}

var quantityScale = map[string]float64{
	"": 1, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60,
}
