// Package cloud stands in for secrets that a cloud provider's key management service encrypts.
package cloud

import (
	"encoding/json"
	"errors"

	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// Type is the type of such secrets in a state.
const Type = "cloud"

var errLeftOut = errors.New("this build of the Pulumi CLI encrypts secrets with a passphrase only")

// EditProjectStack always fails.
func EditProjectStack(*workspace.ProjectStack, json.RawMessage) error { return errLeftOut }

// NewCloudSecretsManagerFromState always fails.
func NewCloudSecretsManagerFromState(json.RawMessage) (secrets.Manager, error) { return nil, errLeftOut }

// NewCloudSecretsManager always fails.
func NewCloudSecretsManager(*workspace.ProjectStack, string, bool) (secrets.Manager, error) {
	return nil, errLeftOut
}
