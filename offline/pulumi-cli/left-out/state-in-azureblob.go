// Package azureblob registers nothing: this build keeps its state in files only.
package azureblob
