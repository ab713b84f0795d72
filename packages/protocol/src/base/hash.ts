import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod'
import { sha3_384, sha3_384Async } from '#pqc/sha3'
import { pure } from './pure.ts'

/** SHA3-384 as lowercase hex. */
export function hashHex(bytes: Uint8Array): string {
  return bytesToHex(sha3_384(bytes))
}

/** The same, native where the runtime has it. Prefer it wherever you may await; a Durable Object's transaction may not. */
export async function hashHexAsync(bytes: Uint8Array): Promise<string> {
  return bytesToHex(await sha3_384Async(bytes))
}

/** SHA3-384 of UTF-8 text as lowercase hex. */
export function hashTextHex(text: string): string {
  return hashHex(new TextEncoder().encode(text))
}

export function toHex(bytes: Uint8Array): string {
  return bytesToHex(bytes)
}

/** Decodes hex text that `hashSchema` has accepted. */
export function fromHex(text: string): Uint8Array {
  return hexToBytes(text)
}

export const hashSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[0-9a-f]{96}$/, 'must be 96 lowercase hex characters')
    .meta({ id: 'Hash', description: 'SHA3-384, 96 lowercase hex characters', example: 'a7'.repeat(48) }),
)
