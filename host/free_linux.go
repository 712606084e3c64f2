package host

import (
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
)

// free is the memory that this process may still take, in bytes: what the
// system has, what its control groups allow, and its own limits. 0: unknown.
func free() int64 {
	n := field("/proc/meminfo", "MemAvailable:") << 10
	least := func(m int64) {
		if m > 0 && (n == 0 || m < n) {
			n = m
		}
	}
	for _, g := range groups() {
		if most, ok := number(g.dir + g.most); ok && most < 1<<60 {
			now, _ := number(g.dir + g.now)
			least(max(most-now+field(g.dir+"/memory.stat", g.reclaimable), 1))
		}
	}
	for resource, taken := range map[int]string{syscall.RLIMIT_AS: "VmSize:", syscall.RLIMIT_DATA: "VmData:"} {
		var r syscall.Rlimit
		if syscall.Getrlimit(resource, &r) == nil && r.Cur < 1<<60 {
			least(max(int64(r.Cur)-field("/proc/self/status", taken)<<10, 1))
		}
	}
	return n
}

// group is a control group, by the files that tell of its memory.
type group struct{ dir, most, now, reclaimable string }

// groups lists the control groups of this process, and those around them.
func groups() []group {
	text, _ := os.ReadFile("/proc/self/cgroup")
	var list []group
	for line := range strings.Lines(string(text)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, dir, _ := strings.Cut(rest, ":")
		for ; ; dir = path.Dir(dir) {
			switch {
			case controllers == "":
				list = append(list, group{path.Join("/sys/fs/cgroup", dir), "/memory.max", "/memory.current", "inactive_file"})
			case strings.Contains(controllers, "memory"):
				list = append(list, group{path.Join("/sys/fs/cgroup/memory", dir), "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"})
			}
			if dir == "/" || dir == "." || dir == "" {
				break
			}
		}
	}
	return list
}

// number reads a file that holds one.
func number(file string) (int64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// field reads the number behind a name in a file of such lines; 0: none.
func field(file, name string) int64 {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n
		}
	}
	return 0
}
