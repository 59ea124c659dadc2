// Package zxcvbn stands in for the estimate of a password's strength.
package zxcvbn

// Strength has the only field that the CLI reads.
type Strength struct{ Entropy float64 }

// PasswordStrength counts every value as strong: the CLI then asks for --secret or --plaintext.
func PasswordStrength(string, []string) Strength { return Strength{Entropy: 1e9} }
