package gpu

import "container/list"

// cache keeps the values used last, at most max of them.
type cache[K comparable, V any] struct {
	max   int
	drop  func(V) // called for a value that leaves; may be nil
	order *list.List
	at    map[K]*list.Element
}

type cached[K comparable, V any] struct {
	key   K
	value V
}

func newCache[K comparable, V any](max int, drop func(V)) *cache[K, V] {
	return &cache[K, V]{max: max, drop: drop, order: list.New(), at: map[K]*list.Element{}}
}

// get gives the value of a key, made by make where it is not there yet. The
// value stays until max others have been used since.
func (c *cache[K, V]) get(key K, make func() (V, error)) (V, error) {
	if e := c.at[key]; e != nil {
		c.order.MoveToFront(e)
		return e.Value.(*cached[K, V]).value, nil
	}
	v, err := make()
	if err != nil {
		return v, err
	}
	c.at[key] = c.order.PushFront(&cached[K, V]{key, v})
	if c.order.Len() > c.max {
		c.remove(c.order.Back())
	}
	return v, nil
}

func (c *cache[K, V]) remove(e *list.Element) {
	v := c.order.Remove(e).(*cached[K, V])
	delete(c.at, v.key)
	if c.drop != nil {
		c.drop(v.value)
	}
}

// clear drops everything.
func (c *cache[K, V]) clear() {
	for c.order.Len() > 0 {
		c.remove(c.order.Back())
	}
}
