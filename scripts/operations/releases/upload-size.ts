/**
 * The size of a Worker as Cloudflare counts it: compressed, without its source map.
 *
 * @module
 */

/** A Worker's start takes time with its size. Cloudflare itself allows 10 MB. */
export const MAX_COMPRESSED_KIB = 300

/** What Wrangler prints about a bundle, in KiB; null if it printed nothing. */
export function compressedKib(output: string): number | null {
  const [, size, unit] = /gzip: ([\d.]+) (\w+)/.exec(output) ?? []
  if (size === undefined) return null
  return Number(size) * (unit === 'MiB' ? 1024 : 1)
}

export function sizeFault(script: string, kib: number): string | null {
  return kib > MAX_COMPRESSED_KIB
    ? `${script} has ${kib.toFixed(2)} KiB compressed; at most ${MAX_COMPRESSED_KIB} KiB are allowed`
    : null
}
