// Package s3 stands in for the client of Amazon S3, of which the engine names one type.
package s3

// CopyObjectInput is never made.
type CopyObjectInput struct {
	CopySource *string
}
