package kubernetes

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
)

// job is job.yaml, without a key that the API does not know, or that is there twice.
func job(t *testing.T) (j batch.Job) {
	t.Helper()
	text, err := os.ReadFile("job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, &j); err != nil {
		t.Fatal(err)
	}
	return j
}

// The job is indexed, gives an index a try of its own, and asks for as many shares as it has indexes.
func TestJob(t *testing.T) {
	j := job(t)
	s := j.Spec
	if j.APIVersion != "batch/v1" || j.Kind != "Job" || s.CompletionMode == nil || *s.CompletionMode != batch.IndexedCompletion ||
		s.Completions == nil || s.Parallelism == nil || *s.Parallelism > *s.Completions || s.BackoffLimitPerIndex == nil || *s.BackoffLimitPerIndex < 1 {
		t.Errorf("the job is not an Indexed Job with a limit for each index: %+v", s)
	}
	// The API refuses a policy for failed pods with any other.
	if s.Template.Spec.RestartPolicy != core.RestartPolicyNever {
		t.Errorf("restartPolicy is %s", s.Template.Spec.RestartPolicy)
	}
	env := s.Template.Spec.Containers[0].Env
	i := slices.IndexFunc(env, func(e core.EnvVar) bool { return e.Name == "TLAYOUT_SHARDS" })
	if i < 0 || env[i].Value != strconv.Itoa(int(*s.Completions)) {
		t.Errorf("TLAYOUT_SHARDS is not the number of indexes, %d: %v", *s.Completions, env)
	}
	volumes := map[string]bool{}
	for _, v := range s.Template.Spec.Volumes {
		volumes[v.Name] = true
	}
	for _, m := range s.Template.Spec.Containers[0].VolumeMounts {
		if !volumes[m.Name] {
			t.Errorf("there is no volume %s", m.Name)
		}
	}
}

// The container is the image of Dockerfile: by digest, with its program and its user, who may write to volumes, and has no token of the API.
func TestImage(t *testing.T) {
	pod := job(t).Spec.Template.Spec
	container := pod.Containers[0]
	if !regexp.MustCompile(`@sha256:[0-9a-f]{64}$`).MatchString(container.Image) || len(container.Command) > 0 {
		t.Errorf("the image is %s, the command %v", container.Image, container.Command)
	}
	file, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	c := pod.SecurityContext
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		t.Error("the pod has a token of the API")
	}
	if user := fmt.Sprintf("\nUSER %d:%d\n", *c.RunAsUser, *c.RunAsGroup); !bytes.Contains(file, []byte(user)) || *c.FSGroup != *c.RunAsGroup {
		t.Errorf("Dockerfile does not say %q, or fsGroup is another: %+v", user, c)
	}
}

// The page's last command is the job's, of all shards, with --dry-run.
func TestLastCommand(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(recipe(t)), "\n")
	want := []string{"tlayout-cloud"}
	for _, arg := range job(t).Spec.Template.Spec.Containers[0].Args {
		if arg != "--shard=auto" {
			want = append(want, strings.Replace(arg, "/sources/", "", 1))
		}
	}
	if got := strings.Fields(lines[len(lines)-1]); !slices.Equal(got, append(want, "--dry-run")) {
		t.Errorf("the last command is %q, want %q", got, append(want, "--dry-run"))
	}
}

// The exit codes at which an index is given up are those that repeat: of the answer no and of permanent errors.
func TestExitCodes(t *testing.T) {
	j := job(t)
	for _, rule := range j.Spec.PodFailurePolicy.Rules {
		if rule.Action != batch.PodFailurePolicyActionFailIndex {
			continue
		}
		want := []int32{int32(fault.Negative), int32(fault.Usage), int32(fault.Malformed), int32(fault.Unsupported)}
		if c := rule.OnExitCodes; c == nil || c.Operator != batch.PodFailurePolicyOnExitCodesOpIn || !slices.Equal(c.Values, want) ||
			*c.ContainerName != j.Spec.Template.Spec.Containers[0].Name {
			t.Errorf("the rule is %+v, not for exit codes %v", c, want)
		}
		return
	}
	t.Error("no rule gives an index up")
}

// The command converts its share of a list, in a folder instead of a bucket: each index does its own, and all together do all.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	container := job(t).Spec.Template.Spec.Containers[0]
	source, err := filepath.Abs("../../testdata/x.npy")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for i := range 40 {
		name := filepath.Join(dir, strconv.Itoa(i)+".npy")
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
		list.WriteString(name + "\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "list.txt"), []byte(list.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	here := strings.NewReplacer("/sources/", dir+"/", "s3://bucket/nhwc/", out)
	var args []string
	for _, arg := range container.Args {
		args = append(args, here.Replace(arg))
	}
	dry := append(slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--shard=auto" }), "--dry-run")
	for index := range 4 {
		if code, text, _ := run(nil, dry...); code != 1 || !strings.Contains(text, " of 40 results missing") {
			t.Errorf("before index %d: exit code %d: %s", index, code, text)
		}
		env := map[string]string{"JOB_COMPLETION_INDEX": strconv.Itoa(index), "TLAYOUT_SHARDS": "4"}
		if code, _, errs := run(env, args...); code != 0 || errs != "" {
			t.Fatalf("index %d: exit code %d: %s", index, code, errs)
		}
	}
	if code, text, errs := run(nil, dry...); code != 0 || text != "0 of 40 results missing or out of date\n" {
		t.Errorf("in the end: exit code %d: %s%s", code, text, errs)
	}
	made, _ := filepath.Glob(out + "/*/*")
	all, _ := filepath.Glob(out + dir + "/*.npy")
	if len(all) != 40 {
		t.Errorf("there are %d results, not 40: %v", len(all), made)
	}
}

// run runs the program with that environment.
func run(env map[string]string, args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	s := &cli.Streams{In: new(bytes.Buffer), Out: &o, Err: &e, Unicode: true, UserDir: "/nonexistent",
		Env: func(name string) (string, bool) { value, ok := env[name]; return value, ok }}
	for name := range env {
		s.Variables = append(s.Variables, name)
	}
	code = cli.Run(args, s, command.NewRoot)
	return code, o.String(), e.String()
}
