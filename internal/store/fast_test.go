package store

import "time"

func init() { firstWait = time.Millisecond }
