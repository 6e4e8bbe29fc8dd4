package kubernetes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
)

// node runs each pod's container as a process. It does what a kubelet does as far as job.yaml goes: variables, the files of the ConfigMap,
// and the exit code in the pod's status.
type node struct {
	*cluster
	program string
	local   *strings.Replacer // paths of the container in this machine's files
	fails   map[string][]int  // by index, the exit codes of pods that fail instead of running, or evicted
	ran     map[string][]int  // by index, the exit codes of its tries
}

// evicted is the end of a pod that its node gives up.
const evicted = -1

// run runs pods until stop is closed.
func (n *node) run(stop chan bool) {
	started := map[string]bool{}
	for {
		var pods core.PodList
		if err := json.Unmarshal(n.kubectl("get", "pods", "-o", "json"), &pods); err != nil {
			n.t.Error(err)
			return
		}
		for _, pod := range pods.Items {
			if id := string(pod.UID); !started[id] && pod.DeletionTimestamp == nil {
				started[id] = true
				n.start(&pod)
			}
		}
		select {
		case <-stop:
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// start runs a pod's container to its end, or lets it fail.
func (n *node) start(pod *core.Pod) {
	index := pod.Labels[batch.JobCompletionIndexAnnotation]
	var code int
	if fails := n.fails[index]; len(fails) > 0 {
		code, n.fails[index] = fails[0], fails[1:]
	} else {
		code = n.exec(pod)
	}
	n.ran[index] = append(n.ran[index], code)
	status := core.PodStatus{Phase: core.PodFailed}
	switch code {
	case evicted:
		status.Conditions = []core.PodCondition{{Type: core.DisruptionTarget, Status: core.ConditionTrue, Reason: "EvictionByEvictionAPI"}}
		n.setStatus(pod, status)
		return
	case 0:
		status.Phase = core.PodSucceeded
	}
	status.ContainerStatuses = []core.ContainerStatus{{Name: pod.Spec.Containers[0].Name,
		State: core.ContainerState{Terminated: &core.ContainerStateTerminated{ExitCode: int32(code)}}}}
	n.setStatus(pod, status)
}

// exec runs the arguments of the container with nothing but its variables.
func (n *node) exec(pod *core.Pod) (code int) {
	container := pod.Spec.Containers[0]
	n.mount(pod.Spec.Volumes[0].ConfigMap.Name, n.path("mounted"))
	cmd := exec.Command(n.program)
	for _, arg := range container.Args {
		cmd.Args = append(cmd.Args, n.local.Replace(arg))
	}
	cmd.Env = []string{}
	for _, e := range container.Env {
		value := n.local.Replace(e.Value)
		if e.ValueFrom != nil {
			label, _ := strings.CutPrefix(e.ValueFrom.FieldRef.FieldPath, "metadata.labels['")
			value = pod.Labels[strings.TrimSuffix(label, "']")]
		}
		cmd.Env = append(cmd.Env, e.Name+"="+value)
	}
	out, _ := cmd.CombinedOutput()
	if code = cmd.ProcessState.ExitCode(); code != 0 {
		n.t.Logf("%s: exit code %d: %s", pod.Name, code, out)
	}
	return code
}

func (n *node) setStatus(pod *core.Pod, status core.PodStatus) {
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		n.t.Fatal(err)
	}
	n.kubectl("patch", "pod", pod.Name, "--subresource=status", "--type=merge", "--patch", string(patch))
}

// recipe returns the commands of docs/many.md.
func recipe(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/many.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```sh\nkubectl ")
	commands, _, ends := strings.Cut(rest, "```\n")
	if !found || !ends {
		t.Fatal("the page has no commands of kubectl")
	}
	return "kubectl " + commands
}

// TestRecipe runs the commands of the page twice: with a damaged source, lost pods and an evicted one, they end, and say that one result
// is missing; with that source mended, and another one in the list, they end with nothing missing.
func TestRecipe(t *testing.T) {
	c := startCluster(t)
	c.kubectl("label", "namespace", "default", "pod-security.kubernetes.io/enforce=restricted")
	n := &node{cluster: c, program: c.path("tlayout-cloud"), fails: map[string][]int{"7": {5}, "8": {evicted, 5}}, ran: map[string][]int{}}
	build := exec.Command("go", "build", "-o", n.program, "github.com/tlayout/tlayout/cmd/tlayout")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	n.local = strings.NewReplacer("/sources/", c.path("mounted")+"/", "s3://bucket/nhwc/", c.path("out"), "/scratch", c.dir)
	content := c.sources(39)
	manifest, err := os.ReadFile("job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c.write("job.yaml", bytes.Replace(manifest, []byte("backoffLimitPerIndex: 3"), []byte("backoffLimitPerIndex: 1"), 1)) // takes less time
	os.Mkdir(c.path("mounted"), 0o755)
	stop, stopped := make(chan bool), make(chan bool)
	go func() { n.run(stop); close(stopped) }()
	defer func() { close(stop); <-stopped }()

	c.write("13.npy", content[:100])
	code, out := n.follow()
	j := n.job()
	if code != 3 || !strings.Contains(out, "\n1 of 39 results missing or out of date\n1 source failed") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if failed := j.Status.FailedIndexes; failed == nil || fmt.Sprint(n.ran[*failed]) != "[3]" || j.Status.Succeeded != 99 {
		t.Errorf("the damaged source is not one failed index, tried once: %+v", j.Status)
	}
	if fmt.Sprint(n.ran["7"], n.ran["8"]) != "[5 0] [-1 5 0]" {
		t.Errorf("indexes that fail once, beside an eviction, end with %v and %v", n.ran["7"], n.ran["8"])
	}
	c.sources(40)
	code, out = n.follow()
	if code != 0 || !strings.Contains(out, "\n0 of 40 results missing or out of date\n") || n.job().Status.Succeeded != 100 {
		t.Errorf("exit code %d: %s\n%+v", code, out, n.job().Status)
	}
}

// sources writes sources and a list of them, and returns the content of each.
func (c *cluster) sources(count int) []byte {
	c.t.Helper()
	content, err := os.ReadFile("../../testdata/x.npy")
	if err != nil {
		c.t.Fatal(err)
	}
	var list bytes.Buffer
	for i := range count {
		name := fmt.Sprintf("%d.npy", i)
		c.write(name, content)
		fmt.Fprintln(&list, c.path(name))
	}
	c.write("list.txt", list.Bytes())
	return content
}

// follow runs the page's commands, with the bucket in this machine's files, and returns the exit code of the last one. They must end in
// five minutes.
func (n *node) follow() (code int, out string) {
	cmd := n.command("sh", "-c", strings.ReplaceAll(recipe(n.t), "s3://bucket/nhwc/", n.path("out")))
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	defer time.AfterFunc(5*time.Minute, func() { cmd.Process.Kill() }).Stop()
	cmd.Wait()
	n.t.Logf("%s", &both)
	return cmd.ProcessState.ExitCode(), both.String()
}

func (n *node) job() (j batch.Job) {
	if err := json.Unmarshal(n.kubectl("get", "job", "tlayout", "-o", "json"), &j); err != nil {
		n.t.Fatal(err)
	}
	return j
}

// mount writes the files of a ConfigMap.
func (n *node) mount(name, dir string) {
	var m core.ConfigMap
	if err := json.Unmarshal(n.kubectl("get", "configmap", name, "-o", "json"), &m); err != nil {
		n.t.Fatal(err)
	}
	for file, text := range m.Data {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			n.t.Fatal(err)
		}
	}
}
