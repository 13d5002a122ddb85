// Package fees says what a late book costs.
package fees

// CentsPerDay is what one day costs.
const CentsPerDay = 20

// MaxFee is the most that is asked for one book, in cents.
const MaxFee = 1000

// LateFee returns the fee for a book that is so many days late.
func LateFee(days int) int {
	if days <= 0 {
		return 0
	}
	fee := days * CentsPerDay
	if fee > MaxFee {
		return MaxFee
	}
	return fee
}
