import { fromHex } from '@svc/protocol/base/hash'
import { beaconOrigin } from '@svc/protocol/merkle/beacon'
import { logKeySeed } from '@svc/protocol/merkle/log-key'
import { namespaceOf } from '@svc/service'
import { type SigningKey, signingKeyOf } from '@svc/tlog/note-keys'
import { SIGNATURE_TYPES } from '@svc/tlog/signed-note'
import type { BeaconConfig } from './config.ts'

type NameConfig = Pick<BeaconConfig, 'LOG_NAMESPACE' | 'REALMS' | 'LOG_PERIOD'>

export function beaconName(config: NameConfig): string {
  return beaconOrigin(namespaceOf(config), config.LOG_PERIOD)
}

/**
 * The two keys of the beacon, from the seed of the logs: another seed for each name and algorithm. Empty without a seed.
 */
export async function beaconKeys(
  config: NameConfig & Pick<BeaconConfig, 'DIRECTORY_LOG_SEED' | 'LOG_KEY_VERSION'>,
): Promise<SigningKey[]> {
  const { DIRECTORY_LOG_SEED: seedHex, LOG_KEY_VERSION: version } = config
  if (!seedHex) return []
  const name = beaconName(config)
  const seed = (algorithm: string) => logKeySeed(fromHex(seedHex), version, `${name}#${algorithm}`)
  return Promise.all([
    signingKeyOf(name, SIGNATURE_TYPES.ed25519, seed('Ed25519')),
    signingKeyOf(name, SIGNATURE_TYPES.mlDsa44Cosignature, seed('ML-DSA-44')),
  ])
}
