# docker build --build-arg VERSION=v0.1.0 -t tlayout . && docker run --rm -v "$PWD:/data:ro" tlayout x.npy
# The program and nothing else: no shell, no library, no user but the number 65532.
FROM --platform=$BUILDPLATFORM golang:1.26.8 AS build
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=devel
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY cmd cmd
COPY internal internal
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
    -ldflags "-s -w -buildid= -X github.com/tlayout/tlayout/internal/command/cli.release=$VERSION" -o /rootfs/tlayout ./cmd/tlayout \
 && mkdir -m 1777 /rootfs/tmp && cp -r --parents /etc/ssl/certs /rootfs

FROM scratch
COPY --from=build /rootfs /
USER 65532:65532
WORKDIR /data
ENTRYPOINT ["/tlayout"]
