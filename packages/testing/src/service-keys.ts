import { mlDsa65 } from '@svc/client/functions'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { LIST_SEED } from './log-lists.ts'

const keyOf = async (seed: Uint8Array) => encodeBase64url(await mlDsa65.publicKeyOf(seed))
const filled = (byte: number) => keyOf(new Uint8Array(32).fill(byte))

/** The keys of the list that the Workers under test serve. */
export const LIST_KEYS = { threshold: 1, publicKeysB64u: [await keyOf(LIST_SEED)] }

/** For results of a resolver with the seed of its tests. */
export const RESOLVER_KEY = await filled(0x0e)

/** The keys of the seeds that the Workers under test sign with, by the options of a client. */
export const SERVICE_KEYS = {
  receiptKeyB64u: await filled(0x0a),
  quotaReceiptKeyB64u: await filled(0x0b),
  reservationKeyB64u: await filled(0x14),
  consentKeyB64u: await filled(0x0f),
}
