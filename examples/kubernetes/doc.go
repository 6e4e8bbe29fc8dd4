// Package kubernetes holds job.yaml, which converts many sources with an Indexed Job, and its test. It is a module of its own, so that the
// program does not depend on Kubernetes.
package kubernetes
