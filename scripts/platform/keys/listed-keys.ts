import { SIGNATURE_ALG } from '@svc/protocol/base/labels'
import type { ServiceKey } from '@svc/protocol/http/service-keys'
import type { ListedBeaconKey, ListedServiceKey, ListedWitnessKey } from '@svc/protocol/merkle/listed-keys'
import { beaconKeysOf } from '@svc/tlog/beacon-keys'
import { parseVerifierKey } from '@svc/tlog/note-keys'
import { SIGNATURE_TYPES } from '@svc/tlog/signed-note'

/** Configured keys of services as the signed list has them. */
export function listedServiceKeys(keys: readonly ServiceKey[]): ListedServiceKey[] {
  return keys.map(({ service, use, publicKeyB64u, validFrom, validUntil }) => {
    return { service, use, alg: SIGNATURE_ALG, publicKeyB64u, validFrom, validUntil }
  })
}

/** The keys of the beacon with this origin, as derived from the seed of its deployment's logs. */
export async function derivedBeaconKeys(
  { seed, seedVersion }: { readonly seed: Uint8Array; readonly seedVersion: number },
  origin: string,
  validFrom: number,
): Promise<ListedBeaconKey[]> {
  const keys = await beaconKeysOf(seed, seedVersion, origin)
  return keys.map(({ verifierKey }) => listedBeaconKey(verifierKey, validFrom))
}

export function listedBeaconKey(verifierKey: string, validFrom: number): ListedBeaconKey {
  const isPostQuantum = parseVerifierKey(verifierKey)?.type === SIGNATURE_TYPES.mlDsa44Cosignature
  return { verifierKey, alg: isPostQuantum ? 'ml-dsa-44' : 'ed25519', validFrom, validUntil: null }
}

export function listedWitnessKey(publicKeyB64u: string, validFrom: number): ListedWitnessKey {
  return { publicKeyB64u, alg: SIGNATURE_ALG, validFrom, validUntil: null }
}
