// Package bluemonday stands in for the filter of HTML in Markdown, which the terminal shows as text.
package bluemonday

import "html"

// Policy has no settings.
type Policy struct{}

// StrictPolicy returns the only policy.
func StrictPolicy() *Policy { return &Policy{} }

// Sanitize escapes all tags.
func (*Policy) Sanitize(text string) string { return html.EscapeString(text) }
