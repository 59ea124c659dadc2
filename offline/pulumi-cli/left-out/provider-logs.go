package operations

import (
	"context"
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
)

var errLeftOut = errors.New("this build of the Pulumi CLI cannot read the logs of a cloud provider")

// CloudOperationsProvider always fails.
func CloudOperationsProvider(map[config.Key]string, *Resource) (Provider, error) { return nil, errLeftOut }

// AWSOperationsProvider always fails.
func AWSOperationsProvider(context.Context, map[config.Key]string, *Resource) (Provider, error) {
	return nil, errLeftOut
}

// GCPOperationsProvider always fails.
func GCPOperationsProvider(context.Context, map[config.Key]string, *Resource) (Provider, error) {
	return nil, errLeftOut
}
