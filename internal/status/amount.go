package status

// ParseAmount reads a Kubernetes quantity ("500m", "8Gi", "1e3") in thousandths
// of its unit, rounded up; what is too large stays at the largest int64. ok is
// false for what is no quantity.
func ParseAmount(s string) (milli int64, ok bool) { return parseQuantity(s) }
