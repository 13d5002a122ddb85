// Package clock is a copy of somebody else's clock, as projects keep them.
package clock

// HoursSinceEpoch counts the hours since the start of 1970.
func HoursSinceEpoch(seconds int64) float64 {
	return float64(seconds) / 3600
}
