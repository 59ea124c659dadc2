module routeql/tests/kubernetes/definitions

go 1.26.6

// Only their files are read: config/crd/bases of CloudNativePG and its plugin, deploy/crds of cert-manager, example/prometheus-operator-crd.
require (
	github.com/cert-manager/cert-manager v1.21.2
	github.com/cloudnative-pg/cloudnative-pg v1.30.1
	github.com/cloudnative-pg/plugin-barman-cloud v0.7.0
	github.com/prometheus-operator/prometheus-operator v0.85.0
)
