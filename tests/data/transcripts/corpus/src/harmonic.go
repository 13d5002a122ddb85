// Package tide adds up the constituents of a station.
package tide

import "math"

// Constituent is one cosine of the tide.
type Constituent struct {
	Name      string
	Speed     float64 // degrees an hour
	Amplitude float64 // metres
	Phase     float64 // degrees
}

// PredictHeight gives the height over the datum, hours after the epoch.
func PredictHeight(datum float64, parts []Constituent, hours float64) float64 {
	height := datum
	for _, part := range parts {
		angle := (part.Speed*hours - part.Phase) * math.Pi / 180
		height += part.Amplitude * math.Cos(angle)
	}
	return height
}

// NextHighWater looks for the moment at which the height stops rising.
func NextHighWater(datum float64, parts []Constituent, from float64) float64 {
	step, at := 0.1, from
	for PredictHeight(datum, parts, at+step) < PredictHeight(datum, parts, at) {
		at += step
	}
	for PredictHeight(datum, parts, at+step) >= PredictHeight(datum, parts, at) {
		at += step
	}
	return at
}
