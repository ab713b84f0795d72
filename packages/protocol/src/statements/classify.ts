/**
 * What bytes are that a root key or a device signs, read from the bytes alone. No bytes are of two kinds: a statement has a
 * `type`, an assertion has none, a block has neither `type` nor `purpose`, and a consent is base64url text.
 *
 * @module
 */
import type * as z from 'zod'
import { decodeBase64url } from '../base/base64url.ts'
import { equalBytes } from '../base/bytes.ts'
import { type Json, jcsBytes } from '../base/jcs.ts'
import { objectOf, utf8Of } from '../base/utf8.ts'
import { isAssertionForm } from './assertion-form.ts'
import { isOwnedStatement, OWNED_STATEMENTS, type OwnedStatement } from './owned.ts'

/** What bytes are that are signed: a credential of one request, a block of a chain, a consent, or a statement of a type. */
export type SignedKind = 'assertion' | 'block' | 'consent' | OwnedStatement

/** A kind that bytes claim to be of, and the schema that decides. */
interface Claim {
  readonly kind: SignedKind
  readonly schema: z.ZodType
  readonly value: object
}

/** The member of a statement, block or consent that its schema refuses. */
export interface FormFault {
  readonly kind: SignedKind
  readonly member: string
  readonly message: string
}

/**
 * The kind of these bytes; null if no identity or device has a reason to sign them. Statements and blocks are canonical
 * JSON that the strict schema of their kind accepts, so that nothing is signed that no verifier reads.
 */
export async function classify(bytes: Uint8Array): Promise<SignedKind | null> {
  const claim = await claimOf(bytes)
  if (claim === null || claim === 'assertion') return claim
  return claim.schema.safeParse(claim.value).success ? claim.kind : null
}

/** What keeps bytes from being of the kind that they claim to be of; null if nothing does, or if they claim none. */
export async function formFault(bytes: Uint8Array): Promise<FormFault | null> {
  const claim = await claimOf(bytes)
  if (claim === null || claim === 'assertion') return null
  const issue = claim.schema.safeParse(claim.value).error?.issues[0]
  return issue ? { kind: claim.kind, member: issue.path.join('.'), message: issue.message } : null
}

async function claimOf(bytes: Uint8Array): Promise<Claim | 'assertion' | null> {
  const text = utf8Of(bytes)
  if (text === null) return null
  const value = objectOf(text)
  if (value === null) return consentOf(text)
  if (isAssertionForm(value)) return 'assertion'
  if (!isCanonical(value, bytes)) return null
  if (!('type' in value)) return blockOf(value)
  const { type } = value
  return isOwnedStatement(type) ? { kind: type, schema: await OWNED_STATEMENTS[type](), value } : null
}

/** A signature does not cover itself. */
async function blockOf(value: object): Promise<Claim | null> {
  if ('signature' in value || !('previousHash' in value)) return null
  const { chainBlockSchema } = await import('../chain/chain.ts')
  return { kind: 'block', schema: chainBlockSchema, value }
}

/** The base64url text of a canonical consent message. */
async function consentOf(text: string): Promise<Claim | null> {
  const inner = decodeBase64url(text)
  const value = inner && objectOf(utf8Of(inner))
  if (!inner || !value || !('content_hash' in value) || !isCanonical(value, inner)) return null
  const { consentMessageSchema } = await import('../consent/consent.ts')
  return { kind: 'consent', schema: consentMessageSchema, value }
}

function isCanonical(value: object, bytes: Uint8Array): boolean {
  try {
    return equalBytes(jcsBytes(value as Json), bytes)
  } catch {
    return false
  }
}
