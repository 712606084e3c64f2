package warp

// RuleNames are the names of the rules of the quick form.
func RuleNames() (names []string) {
	for _, r := range rules {
		names = append(names, r.name)
	}
	return names
}
