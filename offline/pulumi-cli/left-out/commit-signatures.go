// Package openpgp stands in for the verification of signed commits and tags.
package openpgp

import (
	"errors"
	"io"
)

var errLeftOut = errors.New("this build of the Pulumi CLI cannot verify signatures of commits and tags")

// Entity is never returned.
type Entity struct{}

// EntityList is never returned.
type EntityList []*Entity

// ReadArmoredKeyRing always fails.
func ReadArmoredKeyRing(io.Reader) (EntityList, error) { return nil, errLeftOut }

// CheckArmoredDetachedSignature always fails.
func CheckArmoredDetachedSignature(EntityList, io.Reader, io.Reader, any) (*Entity, error) {
	return nil, errLeftOut
}
