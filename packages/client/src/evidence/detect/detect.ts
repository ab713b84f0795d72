/**
 * Finds out what something is. Pure: the content decides, names and endings of files do not.
 *
 * @module
 */
import { checkCall } from '../../arguments/check.ts'
import { textOf } from '../../text/text-of.ts'
import { detectJson } from './detect-json.ts'
import type { Detected } from './formats.ts'
import { sealedByAge } from './sealed.ts'

export type { Detected, Kind } from './formats.ts'

/** The first line of an export of notes, as the SDK writes it. */
const NOTES = /^\{"format":"svc\/note-archive\/v1",[^\n]*\}(?:\n|$)/
/** The signed note of a checkpoint: name, size, root, an empty line and signatures; in front of it, the proof of a leaf. */
const BEACON = /^(?:c2sp\.org\/tlog-proof@v1\n(?:\S+ \S+\n|\S+\n)+\n)?\S+\/beacon\/\S+\n\d+\n[A-Za-z0-9+/]+=*\n\n— \S/
const DID = /^did:svc:[A-Za-z0-9_-]{32}$/
const HASH = /^[0-9a-f]{96}$/
const ANCHOR_ID = /^[A-Za-z0-9_-]{32}$/

/** A DID, a hash, the id of an anchor or the address of a page that was typed; null for everything else. */
export function detectTyped(text: string): Detected | null {
  checkCall('detectTyped', [text], ['text'])
  if (DID.test(text)) return { kind: 'did', value: text }
  if (HASH.test(text)) return { kind: 'hash', value: text }
  if (ANCHOR_ID.test(text)) return { kind: 'anchor', value: text }
  return isAddress(text) ? { kind: 'page', value: text } : null
}

/** As consent takes them: 16 to 256 characters. */
function isAddress(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && text.length >= 16 && text.length <= 256 && URL.canParse(text)
}

/** What a file has in it. What is nothing else is content, whose registration can be looked for. */
export function detectFile(bytes: Uint8Array): Detected {
  checkCall('detectFile', [bytes], ['bytes'])
  const byAge = sealedByAge(bytes)
  if (byAge) return { kind: 'sealed', value: byAge }
  const text = trimmed(bytes)
  return (text === null ? null : detectText(text)) ?? { kind: 'content', value: null }
}

function detectText(text: string): Detected | null {
  const typed = detectTyped(text)
  if (typed) return typed
  if (NOTES.test(text)) return { kind: 'notes', value: text.split('\n') }
  // The last line of a note has its end.
  if (BEACON.test(text)) return { kind: 'beacon', value: `${text}\n` }
  try {
    return detectJson(JSON.parse(text))
  } catch {
    return null
  }
}

/** Null for what is not text. */
function trimmed(bytes: Uint8Array): string | null {
  try {
    return textOf(bytes).trim()
  } catch {
    return null
  }
}
