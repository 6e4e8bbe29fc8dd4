// A walk over a tensor N,C,H,W for Valgrind's cachegrind: every element is read once, at the address that the layout's
// own formula gives. All sizes are constants of the compiler, so that walk keeps everything in registers and reads
// nothing but elements, and its own return address at the end.
//
//	gcc -O2 -g -DN=2 -DC=64 -DH=14 -DW=14 -DBLOCK=8 -DSN=… -DSCO=… -DSCI=… -DSH=… -DSW=… -DCHANNEL=1 -DITEM=uint32_t walk.c
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>

#define GIB (1L << 30)

// at is the byte at which an element lies. BLOCK is that of C; SN … SW are strides in bytes.
#define at(n, c, h, w) ((n) * SN + (c) / BLOCK * SCO + (c) % BLOCK * SCI + (h) * SH + (w) * SW)

// visit is told apart from the rest of walk by its line.
#define visit(n, c, h, w) sum += *(const volatile ITEM *)(x + at(n, c, h, w))

// walk begins a page, so that --I1=…,4096 fetches it once, before it reads anything.
__attribute__((noinline, aligned(4096))) uint64_t walk(const char *x) {
	uint64_t sum = 0;
	for (long n = 0; n < N; n++)
#if CHANNEL
		for (long h = 0; h < H; h++)
			for (long w = 0; w < W; w++)
				for (long c = 0; c < C; c++)
#else
		for (long c = 0; c < C; c++)
			for (long h = 0; h < H; h++)
				for (long w = 0; w < W; w++)
#endif
					visit(n, c, h, w); // VISIT
	return sum;
}

int main(void) {
	char *room = mmap(0, 2 * GIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		return 2;
	char *x = (char *)(((uintptr_t)room + GIB - 1) & -GIB);
	return walk(x) != 0; // all elements are 0
}
