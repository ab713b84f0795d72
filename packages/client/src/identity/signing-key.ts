/**
 * The signing keys of identities and devices, for the modules of this package only: `index.ts` does not export them.
 * What an application hands over is signed as a message (`message.ts`) and never as it is: a login challenge of
 * somebody's choosing could be a valid deactivation.
 *
 * @module
 */

import { formFault, classify as kindOf, type SignedKind } from '#protocol/statements/classify'
import { isOwnedStatement } from '#protocol/statements/owned'
import { ArgumentError } from '../arguments/argument-error.ts'
import { checkCall } from '../arguments/check.ts'

export type { SignedKind as SigningPurpose }

type Sign = (message: Uint8Array, purpose: SignedKind) => Promise<Uint8Array>

/** What a module asks a signature for. The bytes must be of that kind, also if somebody else made the object behind them. */
export type AskedKind = 'statement' | 'block' | 'assertion' | 'consent' | 'attestation'

/** Signed beside a record and not as statements of their own. */
const ATTESTED = /^svc.(anchor-submission|asset-mint|asset-transfer|governance-policy)\b/

const signers = /* @__PURE__ */ new WeakMap<object, Sign>()

/** Called by the constructors of `Identity` and `Device`. */
export function holdKey(owner: object, sign: Sign): void {
  signers.set(owner, sign)
}

/** Signs bytes of one kind with the key of an identity or a device. */
export function signerOf(owner: object, kind: AskedKind = 'statement'): (message: Uint8Array) => Promise<Uint8Array> {
  const sign = signers.get(owner)
  if (!sign) throw new TypeError('Only an `Identity` or a `Device` of this package can sign')
  return async (given) => {
    // What is read must be what is signed, whatever the caller does to its bytes meanwhile.
    const message = given.slice()
    const purpose = await kindOf(message)
    if (purpose === null || !isOfKind(purpose, kind)) throw await refusal(message, kind)
    return sign(message, purpose)
  }
}

/** A program that passed something of a wrong form learns what; bytes of somebody else are not named. */
async function refusal(message: Uint8Array, kind: AskedKind): Promise<TypeError> {
  const fault = await formFault(message)
  if (!fault || !isOfKind(fault.kind, kind))
    return new TypeError(`These bytes are not of kind ${kind}: sign them with \`signMessage\``)
  const member = fault.member || fault.kind
  return new ArgumentError(fault.kind, member, `Nothing was signed: \`${member}\` of ${fault.kind}: ${fault.message}`)
}

function isOfKind(purpose: SignedKind, kind: AskedKind): boolean {
  if (kind === 'statement') return isOwnedStatement(purpose)
  return kind === 'attestation' ? ATTESTED.test(purpose) : purpose === kind
}

/** What bytes are, read from the bytes alone; null if an identity or a device has no reason to sign them. */
export function classify(bytes: Uint8Array): Promise<SignedKind | null> {
  checkCall('classify', [bytes], ['bytes'])
  return kindOf(bytes)
}
