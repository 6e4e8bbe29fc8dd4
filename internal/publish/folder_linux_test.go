package publish

// ways are those in which a folder's files get their names.
func ways() []string { return []string{"by descriptor", "by /proc", "by Create"} }

func (d *openFolder) take(way string) { d.viaProc, d.slow = way == "by /proc", way == "by Create" }
