module routeql/tests/kubernetes/definitions

go 1.26.0

// Only their files are read: config/crd/bases of the one, deploy/crds of the other.
require (
	github.com/cert-manager/cert-manager v1.21.2
	github.com/cloudnative-pg/cloudnative-pg v1.28.0
)
