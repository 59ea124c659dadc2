// Package do stands in for the command `pulumi do`, which changes single resources without a program.
package do

import (
	"errors"

	"github.com/spf13/cobra"
)

// DefaultRunStatefulUpdate is never called.
var DefaultRunStatefulUpdate any

// NewDoCmd returns a command that always fails.
func NewDoCmd(...any) *cobra.Command {
	return &cobra.Command{
		Use:    "do",
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("this build of the Pulumi CLI needs a program")
		},
	}
}
