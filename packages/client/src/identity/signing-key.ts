/**
 * The signing keys of identities and devices, for the modules of this package only: `index.ts` does not export them.
 * What an application hands over is signed as a message (`message.ts`) and never as it is: a login challenge of
 * somebody's choosing could be a valid deactivation.
 *
 * @module
 */

import { DEVICE_PURPOSE, PURPOSE } from '#assertion'
import { decodeBase64url } from '#protocol/base/base64url'
import type { StatementType } from '#protocol/base/statement'
import { checkCall } from '../arguments/check.ts'
import { utf8Of } from '../text/utf8.ts'

/** The statements that identities and devices sign. All others are for services, operators and witnesses. */
export const OWNERS_STATEMENTS = [
  'svc/anchor-submission/v1',
  'svc/asset-mint/v1',
  'svc/asset-transfer/v1',
  'svc/capsule/v1',
  'svc/delivery/v1',
  'svc/device-acceptance/v1',
  'svc/device-attestation/v1',
  'svc/device-credential/v1',
  'svc/device-event/v1',
  'svc/did-deactivate/v1',
  'svc/governance-policy/v1',
  'svc/guardian-attestation/v1',
  'svc/guardian-request/v1',
  'svc/key-agreement/v1',
  'svc/key-package/v1',
  'svc/message/v1',
  'svc/note-gc/v1',
  'svc/note-rebuild/v1',
  'svc/note/v2',
  'svc/officer-acceptance/v1',
  'svc/org-acceptance/v1',
  'svc/org-binding/v1',
  'svc/org-inception/v1',
  'svc/org-officers/v1',
  'svc/package-revocation/v1',
  'svc/prekey-batch/v1',
  'svc/rotation-cancel/v1',
  'svc/rotation-cosign/v1',
  'svc/rotation-freeze/v1',
  'svc/rotation-rehearsal/v1',
  'svc/rotation-request/v1',
] as const satisfies readonly StatementType[]

/** What bytes are that are signed: a credential of one request, a block of a chain, a consent, or a statement of a type. */
export type SigningPurpose = 'assertion' | 'block' | 'consent' | (typeof OWNERS_STATEMENTS)[number]

type Sign = (message: Uint8Array, purpose: SigningPurpose) => Promise<Uint8Array>

/** What a module asks a signature for. The bytes must be of that kind, also if somebody else made the object behind them. */
export type SignedKind = 'statement' | 'block' | 'assertion' | 'consent' | 'attestation'

const STATEMENTS: ReadonlySet<unknown> = /* @__PURE__ */ new Set(OWNERS_STATEMENTS)
/** Signed beside a record and not as statements of their own. */
const ATTESTED = /^svc.(anchor-submission|asset-mint|asset-transfer|governance-policy)\b/
const PURPOSES: ReadonlySet<unknown> = /* @__PURE__ */ new Set([PURPOSE, DEVICE_PURPOSE])

const signers = /* @__PURE__ */ new WeakMap<object, Sign>()

/** Called by the constructors of `Identity` and `Device`. */
export function holdKey(owner: object, sign: Sign): void {
  signers.set(owner, sign)
}

/** Signs bytes of one kind with the key of an identity or a device. */
export function signerOf(owner: object, kind: SignedKind = 'statement'): (message: Uint8Array) => Promise<Uint8Array> {
  const sign = signers.get(owner)
  if (!sign) throw new TypeError('Only an `Identity` or a `Device` of this package can sign')
  return async (message) => {
    const purpose = purposeOf(message)
    if (purpose === null || !isOfKind(purpose, kind))
      throw new TypeError(`This is no ${kind}: sign it with \`signMessage\``)
    return sign(message, purpose)
  }
}

function isOfKind(purpose: SigningPurpose, kind: SignedKind): boolean {
  if (kind === 'statement') return STATEMENTS.has(purpose)
  return kind === 'attestation' ? ATTESTED.test(purpose) : purpose === kind
}

/**
 * What bytes are, read from the bytes themselves; null if an identity or a device has no reason to sign them. A signer
 * that does not trust the program that calls it compares this with the purpose it is given.
 */
export function purposeOf(message: Uint8Array): SigningPurpose | null {
  checkCall('purposeOf', [message], ['message'])
  const text = utf8Of(message)
  if (text === null) return null
  const value = objectOf(text)
  if (!value) return isConsent(text) ? 'consent' : null
  if ('type' in value) {
    const isStatement = STATEMENTS.has(value['type']) && typeof value['realm'] === 'string'
    return isStatement ? (value['type'] as SigningPurpose) : null
  }
  if (PURPOSES.has(value['purpose'])) return 'assertion'
  return 'previousHash' in value && 'dataHash' in value ? 'block' : null
}

function isConsent(text: string): boolean {
  const inner = decodeBase64url(text)
  const value = inner && objectOf(utf8Of(inner) ?? '')
  return value !== null && 'content_hash' in value && 'creator_did' in value
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
