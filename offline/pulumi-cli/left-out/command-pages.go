// Package doc stands in for the writer of the CLI's own reference pages.
package doc

import (
	"errors"

	"github.com/spf13/cobra"
)

// GenMarkdownTreeCustom always fails.
func GenMarkdownTreeCustom(*cobra.Command, string, func(string) string, func(string) string) error {
	return errors.New("this build of the Pulumi CLI writes no reference pages")
}
