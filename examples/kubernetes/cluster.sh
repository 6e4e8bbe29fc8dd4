#!/bin/sh
# Builds etcd, Kubernetes' API server, its controllers and kubectl into a folder, which the test runs: cluster.sh FOLDER
set -e
minor=37.2
folder=$(realpath "$1")
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
published=$(go mod download -json k8s.io/kubernetes@v1.$minor | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
# Kubernetes builds with its libraries in folders of its own, which are published as v0 of the same release.
{
	printf 'module cluster\n\ngo 1.26.0\n\nrequire k8s.io/kubernetes v1.%s\n' "$minor"
	sed -n "s#^	\(k8s.io/[a-z-]*\) => ./staging/.*#replace \1 => \1 v0.$minor#p" "$published"
} >go.mod
go build -mod=mod -ldflags='-s -w' -o "$folder" \
	k8s.io/kubernetes/cmd/kube-apiserver k8s.io/kubernetes/cmd/kube-controller-manager k8s.io/kubernetes/cmd/kubectl
go build -mod=mod -ldflags='-s -w' -o "$folder/etcd" go.etcd.io/etcd/server/v3
