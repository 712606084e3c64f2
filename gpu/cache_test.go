package gpu

import (
	"errors"
	"slices"
	"testing"
)

func TestCacheKeepsWhatWasUsedLast(t *testing.T) {
	var dropped []int
	c := newCache[string](2, func(v int) { dropped = append(dropped, v) })
	made := 0
	get := func(key string) int {
		v, err := c.get(key, func() (int, error) { made++; return made, nil })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	get("a")
	get("b")
	if get("a") != 1 || made != 2 {
		t.Error("a was made twice")
	}
	get("c")
	if get("a") != 1 || !slices.Equal(dropped, []int{2}) {
		t.Errorf("expected b to be dropped, found %v", dropped)
	}
	if _, err := c.get("d", func() (int, error) { return 0, errors.New("no") }); err == nil {
		t.Error("no error")
	}
	c.clear()
	slices.Sort(dropped)
	if !slices.Equal(dropped, []int{1, 2, 3}) {
		t.Errorf("dropped %v", dropped)
	}
}
