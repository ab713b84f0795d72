/**
 * The signing keys of identities and devices, for the modules of this package only: `index.ts` does not export them.
 * What an application hands over is signed as a message (`message.ts`) and never as it is: a login challenge of
 * somebody's choosing could be a valid deactivation.
 *
 * @module
 */
import { DEVICE_PURPOSE, PURPOSE } from '@svc/assertion'
import { decodeBase64url } from '@svc/protocol/base/base64url'
import { STATEMENT_TYPES } from '@svc/protocol/base/statement'

type Sign = (message: Uint8Array) => Promise<Uint8Array>

/** What a module asks a signature for. The bytes must be of that kind, also if somebody else made the object behind them. */
export type SignedKind = 'statement' | 'block' | 'assertion' | 'consent' | 'attestation'

/** Signed beside a record and not as statements of their own. */
const ATTESTED: ReadonlySet<unknown> = new Set([
  'svc/anchor-submission/v1',
  'svc/asset-mint/v1',
  'svc/asset-transfer/v1',
  'svc/governance-policy/v1',
])
const STATEMENTS: ReadonlySet<unknown> = new Set(STATEMENT_TYPES)
const PURPOSES: ReadonlySet<unknown> = new Set([PURPOSE, DEVICE_PURPOSE])

const signers = new WeakMap<object, Sign>()

/** Called by the constructors of `Identity` and `Device`. */
export function holdKey(owner: object, sign: Sign): void {
  signers.set(owner, sign)
}

/** Signs bytes of one kind with the key of an identity or a device. */
export function signerOf(owner: object, kind: SignedKind = 'statement'): Sign {
  const sign = signers.get(owner)
  if (!sign) throw new TypeError('Only an `Identity` or a `Device` of this package can sign')
  return async (message) => {
    if (!isOfKind(message, kind)) throw new TypeError(`This is no ${kind}: sign it with \`signMessage\``)
    return sign(message)
  }
}

function isOfKind(message: Uint8Array, kind: SignedKind): boolean {
  const text = new TextDecoder().decode(message)
  if (kind === 'consent') {
    const inner = decodeBase64url(text)
    const value = inner && objectOf(new TextDecoder().decode(inner))
    return value !== null && 'content_hash' in value && 'creator_did' in value
  }
  const value = objectOf(text)
  if (!value) return false
  switch (kind) {
    case 'statement':
      return STATEMENTS.has(value['type']) && typeof value['realm'] === 'string'
    case 'block':
      return !('type' in value) && 'previousHash' in value && 'dataHash' in value
    case 'assertion':
      return !('type' in value) && PURPOSES.has(value['purpose'])
    case 'attestation':
      return ATTESTED.has(value['type']) && typeof value['realm'] === 'string'
  }
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
