// Package retry stands in for the repetition of calls, which files do not need. It imports no client of Google's services.
package retry

import "fmt"

// ContextError is never returned.
type ContextError struct{ CtxErr, FuncErr error }

func (e *ContextError) Error() string { return fmt.Sprintf("%v; last error: %v", e.CtxErr, e.FuncErr) }

// Is compares with both errors.
func (e *ContextError) Is(target error) bool { return e.CtxErr == target || e.FuncErr == target }
