package bench

// weight is the i-th of a convolution: an odd number from −7 to 7, for a weight of 0 would hide an element.
func weight(i int) int { return 2*(value(i)&mostWeight) - mostWeight }

const mostWeight = 7
