package racecheck

import "testing"

func TestLeaving(t *testing.T) {
	for _, c := range []struct {
		n, others int
		want      string
	}{
		{1, 1, "the other schedule leaves"},
		{1, 2, "1 of the other 2 schedules leaves"},
		{2, 2, "2 of the other 2 schedules leave"},
	} {
		if got := leaving(c.n, c.others); got != c.want {
			t.Errorf("leaving(%d, %d) = %q, want %q", c.n, c.others, got, c.want)
		}
	}
}
