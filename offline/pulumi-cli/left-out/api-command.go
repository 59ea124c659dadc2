// Package cloud stands in for the command `pulumi api`, which talks to Pulumi Cloud.
package cloud

import (
	"context"
	"errors"

	"github.com/pulumi/pulumi/pkg/v3/backend/httpstate/client"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/spf13/cobra"
)

var errLeftOut = errors.New("this build of the Pulumi CLI has no access to Pulumi Cloud")

// APIError is never returned.
type APIError struct {
	ExitCode int
	Silent   bool
}

func (e *APIError) Error() string { return errLeftOut.Error() }

// ResolvedContext is never returned.
type ResolvedContext struct {
	Client                                           *client.Client
	Project                                          *workspace.Project
	CloudURL, OrgName, StackOrg, StackProj, StackName string
	LoggedIn                                         bool
}

// ResolveContext always fails.
func ResolveContext(context.Context) (*ResolvedContext, error) { return nil, errLeftOut }

// NewAPICmd returns a command that always fails.
func NewAPICmd() *cobra.Command {
	return &cobra.Command{Use: "api", Hidden: true, RunE: func(*cobra.Command, []string) error { return errLeftOut }}
}
