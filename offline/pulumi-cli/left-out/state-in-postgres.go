// Package postgres registers nothing: this build keeps its state in files only.
package postgres
