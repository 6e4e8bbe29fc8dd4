// Cache keeps so many lines of so many bytes. Any line may stand anywhere; the one that was asked for longest ago goes
// first. It begins empty.
{
	const {exact, natural, must, quotient} = model;

	class Cache {
		#kept = new Map(); // line → which of its bytes were used since it came; the one asked for longest ago is first
		#known = new Set(); // lines that were here before

		constructor(lineBytes, lines) {
			const some = natural(lineBytes, "a line") > 0 && natural(lines, "the cache") > 0;
			must(some, `a cache of ${lines} lines of ${lineBytes} B`);
			this.lineBytes = lineBytes;
			this.lines = lines;
			// reuses counts lines that were there when they were asked for; bytesUsed those of bytesFetched that were read.
			this.counts = {accesses: 0, fetches: 0, reuses: 0, bytesFetched: 0, bytesUsed: 0};
		}

		// access reads size bytes, the first at byte: {line, lines, hit, fetched, again, evicted}. line is the first line that
		// they lie in, lines all; hit says that none was fetched; fetched lists those that were, again those of them that had
		// been here before, evicted those that went.
		access(byte, size) {
			const first = quotient(natural(byte, "an address"), this.lineBytes);
			const end = quotient(exact(byte + size - 1, "an address"), this.lineBytes);
			const result = {line: first, lines: [], hit: true, fetched: [], again: [], evicted: []};
			this.counts.accesses++;
			for (let line = first; line <= end; line++) {
				result.lines.push(line);
				this.#touch(line, result);
				this.#use(line, byte - line * this.lineBytes, size);
			}
			result.hit = result.fetched.length === 0;
			return result;
		}

		#touch(line, result) {
			const used = this.#kept.get(line);
			this.#kept.delete(line);
			this.#kept.set(line, used ?? new Uint8Array(this.lineBytes));
			if (used) {
				this.counts.reuses++;
				return;
			}
			this.counts.fetches++;
			this.counts.bytesFetched += this.lineBytes;
			result.fetched.push(line);
			if (this.#known.has(line)) result.again.push(line);
			this.#known.add(line);
			if (this.#kept.size > this.lines) {
				const oldest = this.#kept.keys().next().value;
				this.#kept.delete(oldest);
				result.evicted.push(oldest);
			}
		}

		#use(line, from, size) {
			const used = this.#kept.get(line);
			for (let b = Math.max(from, 0); b < Math.min(from + size, this.lineBytes); b++) {
				this.counts.bytesUsed += 1 - used[b];
				used[b] = 1;
			}
		}

		has(line) { return this.#kept.has(line); }

		// resident lists the lines that are here, the one asked for last first.
		resident() { return [...this.#kept.keys()].reverse(); }
	}

	Object.assign(model, {Cache});
}
