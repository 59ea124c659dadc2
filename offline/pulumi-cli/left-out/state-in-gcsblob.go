// Package gcsblob registers nothing: this build keeps its state in files only.
package gcsblob

// Scheme of URLs of Google Cloud Storage.
const Scheme = "gs"
