import type { Input } from './input.ts'

/** Whether copies of it can be looked for: by a fingerprint of a text or an image. */
export function isSearchable({ type, bytes }: Input): boolean {
  return /^(text|image)\//.test(type) && bytes.length > 0
}
