// Package s3blob registers nothing: this build keeps its state in files only.
package s3blob
