// Package neo stands in for the command `pulumi neo`, an agent in Pulumi Cloud.
package neo

import (
	"errors"

	"github.com/spf13/cobra"
)

// NewNeoCmd returns a command that always fails.
func NewNeoCmd() *cobra.Command {
	leftOut := func(*cobra.Command, []string) error { return errors.New("this build of the Pulumi CLI has no agent") }
	return &cobra.Command{Use: "neo", Hidden: true, RunE: leftOut}
}
