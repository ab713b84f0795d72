import { checkCall } from '../arguments/check.ts'

/** What programs write to each other, as it is: UTF-8 with nothing removed. Null for bytes that are not UTF-8. */
export function utf8Of(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** For showing only, never for what is hashed, sent or written back: what cannot be read becomes U+FFFD. */
export function shownTextOf(bytes: Uint8Array): string {
  checkCall('shownTextOf', [bytes], ['bytes'])
  return new TextDecoder().decode(bytes)
}
