import { checkCall } from '../arguments/check.ts'

/** For showing only, never for what is hashed, sent or written back: what cannot be read becomes U+FFFD. */
export function shownTextOf(bytes: Uint8Array): string {
  checkCall('shownTextOf', [bytes], ['bytes'])
  return new TextDecoder().decode(bytes)
}
