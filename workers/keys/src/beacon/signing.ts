import { fromHex } from '@svc/protocol/base/hash'
import { beaconOrigin } from '@svc/protocol/merkle/beacon'
import { namespaceOf } from '@svc/service'
import { beaconKeysOf } from '@svc/tlog/beacon-keys'
import type { SigningKey } from '@svc/tlog/note-keys'
import type { BeaconConfig } from './config.ts'

type NameConfig = Pick<BeaconConfig, 'LOG_NAMESPACE' | 'REALMS' | 'LOG_PERIOD'>

export function beaconName(config: NameConfig): string {
  return beaconOrigin(namespaceOf(config), config.LOG_PERIOD)
}

/** Empty without a seed. */
export async function beaconKeys(
  config: NameConfig & Pick<BeaconConfig, 'DIRECTORY_LOG_SEED' | 'LOG_KEY_VERSION'>,
): Promise<SigningKey[]> {
  const { DIRECTORY_LOG_SEED: seed, LOG_KEY_VERSION: version } = config
  return seed ? beaconKeysOf(fromHex(seed), version, beaconName(config)) : []
}
