// Package sdk stands in for the hook of programs that trace a running process from outside.
package sdk

import (
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// TracerProvider records nothing.
func TracerProvider() trace.TracerProvider { return noop.NewTracerProvider() }
