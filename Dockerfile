# docker build --build-arg VERSION=v0.1.0 -t tlayout . && docker run --rm -v "$PWD:/data:ro" tlayout x.npy
# tlayout-cloud and nothing else, 63 MB: no shell, no library, no user but the number 65532. With --build-arg MODULE=. the plain program,
# 25 MB. To write into a mounted folder, run as its owner:
# docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" tlayout convert x.npy --to nhwc
# Digest: github.com/docker-library/repo-info, repos/golang/remote/1.26.8.md at 274d39a.
FROM --platform=$BUILDPLATFORM golang:1.26.8@sha256:9d2f36f06329b2a141b9db99ffa32765cf695ee57b813ca29e245e8670bcbfff AS build
ARG MODULE=cloud
ENV CGO_ENABLED=0
WORKDIR /src
COPY go.mod go.sum ./
COPY cloud/go.mod cloud/go.sum cloud/
RUN go -C "$MODULE" mod download
COPY . .
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=devel
RUN GOOS=$TARGETOS GOARCH=$TARGETARCH go -C "$MODULE" build -trimpath -buildvcs=false -o /rootfs/tlayout \
    -ldflags "-s -w -buildid= -X github.com/tlayout/tlayout/internal/command/cli.release=$VERSION" ./cmd/tlayout \
 && internal/manual/licenses.sh "$MODULE" /rootfs/licenses/THIRD_PARTY && cp LICENSE /rootfs/licenses \
 && mkdir -m 1777 /rootfs/tmp && cp --parents /etc/ssl/certs/ca-certificates.crt /rootfs

FROM scratch
COPY --from=build /rootfs /
USER 65532:65532
WORKDIR /data
ENTRYPOINT ["/tlayout"]
