package kubernetes

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// cluster is a control plane on this machine: etcd, the API server, and the controllers of jobs and of garbage. It has no node.
type cluster struct {
	t   *testing.T
	dir string // of its files, and of the recipe
	env []string
}

// kubeconfig takes the API server's port.
const kubeconfig = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:%s", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: secret}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`

// startCluster starts the programs in the folder TLAYOUT_TEST_KUBERNETES, or skips the test.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	programs := os.Getenv("TLAYOUT_TEST_KUBERNETES")
	if programs == "" {
		t.Skip("make verify-kubernetes builds a cluster")
	}
	c := &cluster{t: t, dir: t.TempDir()}
	c.env = append(os.Environ(), "KUBECONFIG="+c.path("kubeconfig"), "PATH="+c.dir+":"+programs+":"+os.Getenv("PATH"))
	etcd, peers, api := "http://127.0.0.1:"+freePort(t), "http://127.0.0.1:"+freePort(t), freePort(t)
	c.write("kubeconfig", fmt.Appendf(nil, kubeconfig, api))
	c.write("tokens", []byte(`secret,admin,1,"system:masters"`))
	c.write("key", newKey(t))
	c.daemon("etcd", "--data-dir", c.path("etcd"), "--unsafe-no-fsync", "--listen-client-urls", etcd, "--advertise-client-urls", etcd,
		"--listen-peer-urls", peers)
	c.daemon("kube-apiserver", "--etcd-servers="+etcd, "--bind-address=127.0.0.1", "--secure-port="+api, "--cert-dir="+c.path("certs"),
		"--token-auth-file="+c.path("tokens"), "--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+c.path("key"), "--service-account-signing-key-file="+c.path("key"),
		"--service-cluster-ip-range=10.0.0.0/24")
	for start := time.Now(); ; time.Sleep(300 * time.Millisecond) {
		if c.command("kubectl", "get", "namespace", "default").Run() == nil {
			break
		}
		if time.Since(start) > 2*time.Minute {
			t.Fatal("the API server is not ready after two minutes")
		}
	}
	c.daemon("kube-controller-manager", "--kubeconfig="+c.path("kubeconfig"), "--leader-elect=false", "--bind-address=127.0.0.1",
		"--secure-port="+freePort(t), "--controllers=job-controller,garbage-collector-controller")
	return c
}

func (c *cluster) path(name string) string { return filepath.Join(c.dir, name) }

func (c *cluster) write(name string, content []byte) {
	c.t.Helper()
	if err := os.WriteFile(c.path(name), content, 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) command(name string, args ...string) *exec.Cmd {
	if name != "sh" {
		name = filepath.Join(os.Getenv("TLAYOUT_TEST_KUBERNETES"), name)
	}
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = c.env, c.dir
	return cmd
}

// kubectl runs a command that must succeed.
func (c *cluster) kubectl(args ...string) []byte {
	c.t.Helper()
	cmd := c.command("kubectl", args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out
}

// daemon starts a program that runs until the test ends. Its messages are shown if the test failed.
func (c *cluster) daemon(name string, args ...string) {
	c.t.Helper()
	log, err := os.Create(c.path(name + ".log"))
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := c.command(name, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		log.Close()
		if text, _ := os.ReadFile(log.Name()); c.t.Failed() {
			c.t.Logf("%s: …%s", name, text[max(0, len(text)-2000):])
		}
	})
}

// freePort returns a port of the loopback device that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// newKey returns a key with which the API server signs tokens of service accounts.
func newKey(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
}
