/** Makes labels of accounts and their proofs (`keys/account-labels`). Only the key directory has the secret. */
import { vrfProver } from '#pqc/vrf'
import { encodeBase64url } from '../base/base64url.ts'
import { labelInput, labelOfHash } from './account-labels.ts'

/** A label, and the proof that it belongs to a DID. With the proof, anyone can test which DID it belongs to. */
export interface ProvedLabel {
  readonly label: string
  readonly labelProofB64u: string
}

export interface LabelProver {
  readonly publicKeyB64u: string
  /** At half of the cost of `prove`. */
  labelOf(did: string): string
  prove(did: string): ProvedLabel
}

export function labelProver(seed: Uint8Array, namespace: string): LabelProver {
  const prover = vrfProver(seed)
  return {
    publicKeyB64u: encodeBase64url(prover.publicKey),
    labelOf: (did) => labelOfHash(prover.hash(labelInput(namespace, did))),
    prove(did) {
      const { proof, hash } = prover.prove(labelInput(namespace, did))
      return { label: labelOfHash(hash), labelProofB64u: encodeBase64url(proof) }
    },
  }
}
