package tide

import "testing"

func TestPredictHeightOfOneConstituent(t *testing.T) {
	parts := []Constituent{{Name: "M2", Speed: 28.984, Amplitude: 2}}
	if got := PredictHeight(1, parts, 0); got != 3 {
		t.Fatalf("height %v, want 3", got)
	}
}
