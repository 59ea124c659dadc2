// Package trace stands in for the commands that view and convert traces of the CLI.
package trace

import (
	"errors"

	"github.com/spf13/cobra"
)

func leftOut(name string) *cobra.Command {
	return &cobra.Command{
		Use:    name,
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("this build of the Pulumi CLI reads no traces")
		},
	}
}

// NewViewTraceCmd returns a command that always fails.
func NewViewTraceCmd() *cobra.Command { return leftOut("view-trace") }

// NewConvertTraceCmd returns a command that always fails.
func NewConvertTraceCmd() *cobra.Command { return leftOut("convert-trace") }
