/**
 * The labels of accounts in the transparency log (workers/docs/pages/developer/keys.md): outputs of a verifiable random
 * function. Only the key directory can compute the label of a DID (`keys/label-prover`), and its proof convinces those who
 * know the DID. The list of logs has the public key, so a DID has one label.
 *
 * @module
 */
import { bytesOf } from '../base/base64url.ts'
import { toHex } from '../base/hash.ts'
import { jcsBytes } from '../base/jcs.ts'
import type { LogList } from '../merkle/log-list.ts'

const LABEL_BYTES = 32

/** What the VRF hashes for an account. `namespace` is that of the log list. */
export function labelInput(namespace: string, did: string): Uint8Array {
  return jcsBytes({ type: 'svc/account-label/v2', namespace, did })
}

export function labelOfHash(hash: Uint8Array): string {
  return toHex(hash.subarray(0, LABEL_BYTES))
}

/** The label of a DID by a proof; null if the proof is of another key, namespace or DID. */
export async function provedLabel(
  did: string,
  labelProofB64u: string,
  { namespace, labelKeyB64u }: Pick<LogList, 'namespace' | 'labelKeyB64u'>,
): Promise<string | null> {
  // Loaded at the first use: most programs look up no account.
  const { verifyVrf } = await import('#pqc/vrf')
  const hash = verifyVrf(bytesOf(labelKeyB64u), labelInput(namespace, did), bytesOf(labelProofB64u))
  return hash && labelOfHash(hash)
}
